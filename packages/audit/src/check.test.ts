import { createSecretKey, randomBytes } from 'node:crypto';
import { EaasError, InputError } from '@eaas/protocol';
import { ServiceError } from '@eaas/protocol/internal';
import { playLog, type PlayedLog } from '@eaas/test-kit/played-log';
import { describe, expect, test } from 'vitest';
import { auditor } from '../test/auditor.ts';
import { type AuditEntry, checkAudit, openCheckpoint, proveEntry, verifyLog, verifyProof } from './index.ts';

describe('rounds with an honest log', () => {
  test.each([0, 2, 99, 100, 101, 2_000])('read each of %i entries once, in order', async (length) => {
    const log = playLog(length);
    const audit = auditor(log);
    const seen: number[] = [];
    const onEntry = ({ id }: AuditEntry) => void seen.push(id);
    expect(await audit.check({ onEntry })).toMatchObject({ ok: true, findings: [], checked: length });
    log.time++;
    log.append(3, 'key.export');
    const id = length + 3;
    const before = log.calls['GET /v1/audit'] ?? 0;
    expect(await audit.check({ onEntry })).toMatchObject({ ok: true, checked: 3, checkpoint: { id } });
    expect((log.calls['GET /v1/audit'] ?? 0) - before).toBeLessThan(4);
    expect(await audit.check({ onEntry })).toMatchObject({ ok: true, checked: 0 });
    expect(seen).toEqual(Array.from({ length: id }, (_, nth) => nth + 1));
    const read = { id, hash: log.entries.at(-1)?.hash };
    expect(audit.state).toMatchObject({ start: { id: 0 }, read, tenant_id: log.tenantId });
    expect(await audit.check({ full: true })).toMatchObject({ ok: true, checked: id });
  });

  test.each([1, 17, 60])('find nothing if %i entries arrive before each request', async (growth) => {
    const log = playLog(700);
    const audit = auditor(log);
    log.before = () => log.append(growth);
    for (const _ of [1, 2]) expect(await audit.check()).toMatchObject({ ok: true, findings: [] });
  });

  test('go on if entries are purged while they read', async () => {
    const log = playLog(300);
    const audit = auditor(log);
    expect(await audit.check()).toMatchObject({ ok: true });
    log.append(200);
    const already = log.calls['GET /v1/audit'] ?? 0;
    log.before = () => void (log.calls['GET /v1/audit'] === already + 2 && log.purge(330));
    const message = 'entries 301 to 330 were purged before they were read';
    expect((await audit.check()).findings).toEqual([{ code: 'purged_unread', id: 330, message }]);
    expect(audit.state).toMatchObject({ start: { id: 330 }, read: { id: 500 } });
    expect(await audit.check()).toMatchObject({ ok: true });
    log.purge(500);
    log.append(1);
    expect(await audit.check()).toMatchObject({ ok: true, checked: 1 });
  });

  test('begin after what was purged before the first one', async () => {
    const log = playLog(300);
    log.purge(150);
    expect(await auditor(log).check()).toMatchObject({
      ok: true,
      checked: 150,
      state: { start: { id: 150 } },
    });
    log.purge(300);
    expect(await auditor(log).check()).toMatchObject({ ok: true, checked: 0, state: { start: { id: 300 } } });
  });

  test('save nothing if all signed entries were purged, and begin after them then', async () => {
    const log = playLog(30);
    const audit = auditor(log);
    log.before = () => {
      if (log.calls['GET /v1/audit'] !== 1 || log.purged > 0) return;
      log.append(10);
      log.purge(35);
    };
    expect((await audit.check()).findings).toMatchObject([{ code: 'purged_unread', id: 35 }]);
    expect(audit.state).toBeNull();
    expect(await audit.check()).toMatchObject({ ok: true, checked: 5, state: { start: { id: 35 } } });
  });
});

describe('a later round', () => {
  const grow = (length: number) => (log: PlayedLog) => {
    log.entries.splice(200);
    log.append(length, 'decrypt');
  };
  const rewrite = (log: PlayedLog) => {
    log.rewrite(9);
    log.append(99);
  };
  const hide = (log: PlayedLog) => {
    log.append(9);
    log.pages = (page) => {
      const logs = page.logs.filter(({ id }) => id !== 250);
      return { ...page, logs, count: logs.length };
    };
  };
  test.each<[string, (log: PlayedLog) => unknown, string, number | null]>([
    ['the log ends earlier', (log) => log.entries.splice(200), 'rollback', 200],
    ['the log was cut and then grew to its old length', grow(50), 'fork', 250],
    ['the log was cut and then grew beyond its old length', grow(150), 'fork', 250],
    ['the log was rewritten and its checkpoint is signed', rewrite, 'fork', 250],
    ['the last entry that was read is not shown', hide, 'entry_missing', 250],
    [
      'the service signs with another key',
      (log) => {
        log.seed = createSecretKey(randomBytes(32));
      },
      'verifier_key_changed',
      null,
    ],
  ])('finds that %s, and keeps the state', async (_, change, code, id) => {
    const log = playLog(250);
    const audit = auditor(log);
    await audit.check();
    const { state } = audit;
    change(log);
    for (const _ of [1, 2]) {
      const report = await audit.check();
      expect(report.findings).toEqual([expect.objectContaining({ code, id })]);
      expect(report).toMatchObject({ ok: false, state });
    }
  });

  const actor = '0a000000-0000-4000-8000-000000000001';
  const revoke = (log: PlayedLog) => log.append(1, 'api_key.revoke', { metadata: { api_key_id: actor } });
  const use = (log: PlayedLog) => log.append(1, 'decrypt', { actor });
  const disable = (log: PlayedLog) => log.append(1, 'key.disable', { key_id: actor });
  const wrap = (log: PlayedLog) => log.append(1, 'key.wrap', { key_id: actor });

  test('finds an entry that contradicts what an earlier round has read, and says so again', async () => {
    const log = playLog(250);
    const audit = auditor(log);
    revoke(log);
    disable(log);
    expect(await audit.check()).toMatchObject({ ok: true, comparedSince: 1 });
    log.append(3);
    expect(await audit.check()).toMatchObject({ ok: true, comparedSince: 1 });
    use(log);
    wrap(log);
    const message = 'entry 256 contradicts entry 251, since which its actor is revoked';
    const later = {
      code: 'contradiction',
      id: 257,
      message: expect.stringContaining('since which its key is disabled'),
    };
    const findings = [{ code: 'contradiction', id: 256, message }, later];
    for (const full of [false, false, true]) expect(await audit.check({ full })).toMatchObject({ findings });
    expect(audit.state?.read.id).toBe(255);
  });

  describe('accuses nobody', () => {
    const knowing = async () => {
      const log = playLog(250);
      const audit = auditor(log);
      revoke(log);
      log.append();
      expect(await audit.check()).toMatchObject({ ok: true, comparedSince: 1 });
      return { log, audit };
    };

    test('of what only an earlier log said', async () => {
      const { log, audit } = await knowing();
      log.entries.splice(240);
      log.append(12);
      use(log);
      expect((await audit.check()).findings).toMatchObject([{ code: 'fork', id: 252 }]);
    });

    test('of what can have ended in purged entries', async () => {
      const { log, audit } = await knowing();
      disable(log);
      log.append(9);
      log.purge(255);
      wrap(log);
      expect((await audit.check()).findings).toMatchObject([{ code: 'purged_unread', id: 255 }]);
      expect(await audit.check()).toMatchObject({ ok: true, comparedSince: 256 });
    });

    test('by a state of a version that kept nothing', async () => {
      const { log, audit } = await knowing();
      use(log);
      const state = { ...audit.state, said: undefined };
      expect(await audit.check({ state })).toMatchObject({ ok: true, comparedSince: 252 });
    });
  });

  test('finds an altered entry that was read before only if it reads everything again', async () => {
    const log = playLog(250);
    const audit = auditor(log);
    await audit.check();
    log.change(9, { actor: 'nobody' });
    expect(await audit.check()).toMatchObject({ ok: true });
    expect(await audit.check({ full: true })).toMatchObject({ findings: [{ code: 'entry_changed', id: 9 }] });
    log.rechain();
    log.append();
    expect((await audit.check({ full: true })).findings).toMatchObject([{ code: 'fork', id: 250 }]);
  });

  test('reports a finding again if a call failed after it', async () => {
    const log = playLog(300);
    const audit = auditor(log);
    await audit.check();
    for (let nth = 0; nth < 400; nth++, log.time++) log.append();
    log.purge(350);
    const already = log.calls['GET /v1/audit'] ?? 0;
    log.before = () => {
      if (log.calls['GET /v1/audit'] === already + 4) throw new ServiceError('unavailable', 'not now');
    };
    const purged = { code: 'purged_unread', id: 350 };
    expect(await audit.check()).toMatchObject({
      ok: false,
      findings: [purged],
      state: { read: { id: 300 } },
    });
    log.before = () => {};
    expect((await audit.check()).findings).toMatchObject([purged]);
  });
});

test('a verifier key that the operator gave is the one that must have signed', async () => {
  const [log, other] = [playLog(3), playLog(3)];
  const { verifier_key: verifierKey } = await other.call('GET /v1/audit/checkpoint', {});
  const refused = { findings: [{ code: 'verifier_key_changed' }], checkpoint: null, checked: 0 };
  expect(await auditor(log).check({ verifierKey })).toMatchObject(refused);
  expect(await auditor(other).check({ verifierKey })).toMatchObject({ ok: true });
  const audit = auditor(log);
  await audit.check();
  const { findings } = await audit.check({ verifierKey });
  const message = expect.stringContaining(`but the option \`verifierKey\` is ${verifierKey}`) as string;
  expect(findings).toEqual([{ code: 'verifier_key_changed', id: null, message }]);
  for (const broken of ['', 'x', verifierKey.slice(0, -1), ` ${verifierKey}`]) {
    for (const each of [audit, auditor(log)]) {
      await expect(each.check({ verifierKey: broken })).rejects.toThrow(InputError);
    }
  }
});

test('a checkpoint that the pinned key did not sign is a finding', async () => {
  const [log, other] = [playLog(3), playLog(3)];
  const { checkpoint } = await other.call('GET /v1/audit/checkpoint', {});
  log.checkpoints = () => ({ checkpoint });
  const { findings } = await auditor(log).check();
  expect(findings).toMatchObject([{ code: 'checkpoint_invalid', id: null }]);
});

test('an error that the service finds in its log is a finding', async () => {
  const log = playLog(20);
  log.purge(5);
  log.verifies = () => ({ valid: false, errors: [{ id: null, reason: 'tenant_changed' }], error_count: 1 });
  const message = 'the verification by the service failed: tenant_changed';
  const { findings } = await auditor(log).check();
  expect(findings).toEqual([{ code: 'service_verification_failed', id: null, message }]);
});

const wrong = [undefined, null, 7, 'x', [], {}, () => 1];
test.each<[string, (...args: never[]) => Promise<unknown>]>([
  ['checkAudit', checkAudit],
  ['verifyLog', verifyLog],
  ['openCheckpoint', openCheckpoint],
  ['proveEntry', proveEntry],
  ['verifyProof', verifyProof],
])('`%s` takes wrong arguments, or throws EaasError', async (_, call) => {
  const log = playLog(3);
  const all = [
    ...wrong.flatMap((one) => wrong.map((other) => [one, other, {}])),
    ...[...wrong, { unknown: 1 }].map((one) => [log, one, one]),
  ];
  for (const args of all) {
    const error: unknown = await call(...(args as never[])).catch((cause: unknown) => cause);
    expect(error instanceof Error && !(error instanceof EaasError)).toBe(false);
  }
});

import { createSecretKey, randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { auditor } from '../../test/auditor.ts';
import { playLog, type PlayedLog } from '../../test/played-log.ts';
import { runs } from '@eaas/test-kit/cases';
import type { AuditEntry } from './list.ts';

const at = (log: PlayedLog, id: number): AuditEntry => log.entries[id - 1 - log.purged] as AuditEntry;

describe('findings', () => {
  const changes: readonly (readonly [string, (log: PlayedLog) => void, readonly object[]])[] = [
    [
      'an entry is altered',
      (log) => Object.assign(at(log, 150), { actor: 'nobody' }),
      [{ code: 'entry_altered', id: 150 }],
    ],
    [
      "an entry's time is altered",
      (log) => Object.assign(at(log, 150), { created_at: '2020-01-01T00:00:00.000Z' }),
      [
        { code: 'entry_altered', id: 150 },
        { code: 'time_went_back', id: 150 },
      ],
    ],
    [
      'an entry has another tenant id',
      (log) => Object.assign(at(log, 150), { tenant_id: 'x' }),
      [{ code: 'entry_altered', id: 150 }],
    ],
    ['an entry is removed', (log) => log.entries.splice(149, 1), [{ code: 'entry_missing', id: 150 }]],
    ['the first entries are removed', (log) => log.entries.splice(0, 20), [{ code: 'entry_missing', id: 1 }]],
    [
      'the last entry is missing',
      (log) => (log.pages = (page) => ({ ...page, logs: page.logs.filter(({ id }) => id < 250) })),
      [{ code: 'entry_missing', id: 250 }],
    ],
    [
      'all entries are missing',
      (log) => (log.pages = (page) => ({ ...page, logs: [] })),
      [{ code: 'entry_missing', id: 1 }],
    ],
    [
      'an entry occurs twice',
      (log) => log.entries.splice(150, 0, at(log, 150)),
      [{ code: 'entry_repeated', id: 150 }],
    ],
    [
      'the log is rewritten',
      (log) => (
        Object.assign(at(log, 150), { actor: 'nobody' }),
        log.rechain(),
        (log.checkpoints = () => log.truth)
      ),
      [{ code: 'checkpoint_mismatch', id: 250 }],
    ],
    [
      'the hash in the checkpoint is not the signed hash',
      (log) => (log.checkpoints = () => ({ hash: 'ab'.repeat(32) })),
      [{ code: 'checkpoint_invalid', id: null }],
    ],
    [
      'the checkpoint belongs to another tenant',
      (log) => (log.checkpoints = () => ({ tenant_id: '00000000-0000-4000-8000-000000000009' })),
      [{ code: 'checkpoint_invalid' }],
    ],
  ];
  test.each(changes)(
    'the first audit round reports a finding and saves nothing if %s',
    async (_, change, findings) => {
      const log = playLog(250);
      await log.remember();
      change(log);
      const audit = auditor(log);
      const report = await audit.check();
      expect(report).toMatchObject({ ok: false, findings });
      expect(report.findings).toHaveLength(findings.length);
      expect(audit.saved).toBeUndefined();
    },
  );

  const later: readonly (readonly [string, (log: PlayedLog) => void, object])[] = [
    ['the log ends earlier', (log) => log.entries.splice(200), { code: 'rollback', id: 200 }],
    [
      'the log was cut and then grew to its old length',
      (log) => (log.entries.splice(200), log.append(50, 'decrypt')),
      { code: 'fork', id: 250 },
    ],
    [
      'the log was cut and then grew beyond its old length',
      (log) => (log.entries.splice(200), log.append(150, 'decrypt')),
      { code: 'fork', id: 250 },
    ],
    [
      'the log was rewritten and its checkpoint is signed',
      (log) => (Object.assign(at(log, 9), { actor: 'nobody' }), log.rechain(), log.append(99)),
      { code: 'fork', id: 250 },
    ],
    [
      'the service signs with another key',
      (log) => (log.seed = createSecretKey(randomBytes(32))),
      { code: 'verifier_key_changed', id: null },
    ],
  ];
  test.each(later)('a later audit round reports a finding if %s', async (_, change, finding) => {
    const log = playLog(250);
    const audit = auditor(log);
    await audit.check();
    const before = audit.saved;
    change(log);
    const report = await audit.check();
    expect(report.findings).toEqual([expect.objectContaining(finding)]);
    expect(report).toMatchObject({ ok: false, state: before });
    expect(audit.saved).toBe(before);
  });

  test('a full audit round finds an altered entry that an earlier round read', async () => {
    const log = playLog(250);
    const audit = auditor(log);
    await audit.check();
    Object.assign(at(log, 9), { actor: 'nobody' });
    expect(await audit.check()).toMatchObject({ ok: true });
    expect(await audit.check({ full: true })).toMatchObject({ findings: [{ code: 'entry_altered', id: 9 }] });
    log.rechain();
    log.append();
    expect((await audit.check({ full: true })).findings).toMatchObject([{ code: 'fork', id: 250 }]);
  });

  test('an audit round reports a checkpoint that the pinned verifier key did not sign', async () => {
    const [log, other] = [playLog(3), playLog(3)];
    const { verifier_key: verifierKey } = await other.call('GET /v1/audit/checkpoint', {});
    expect(await auditor(log).check({ verifierKey })).toMatchObject({
      findings: [{ code: 'verifier_key_changed' }],
      checkpoint: null,
    });
    expect(await auditor(other).check({ verifierKey })).toMatchObject({ ok: true });
  });

  test('if the option `verifierKey` differs from the saved key, the finding names the option', async () => {
    const [log, other] = [playLog(3), playLog(3)];
    const audit = auditor(log);
    await audit.check();
    const { verifier_key: verifierKey } = await other.call('GET /v1/audit/checkpoint', {});
    const { findings } = await audit.check({ verifierKey });
    const message = expect.stringContaining(`but the option \`verifierKey\` is ${verifierKey}`) as string;
    expect(findings).toEqual([{ code: 'verifier_key_changed', id: null, message }]);
  });

  test('an error that the service finds in its log is a finding of the audit', async () => {
    const log = playLog(20);
    log.purge(5);
    log.verifies = () => ({ valid: false, errors: [{ id: null, reason: 'tenant_changed' }], error_count: 1 });
    const { findings } = await auditor(log).check();
    expect(findings).toEqual([
      {
        code: 'service_verification_failed',
        id: null,
        message: 'the verification by the service failed: tenant_changed',
      },
    ]);
  });

  test.each<[string, object]>([
    ['an anchor without a hash', { purged_through: { id: 20 } }],
    ['an anchor without an id', { purged_through: { hash: 'ab'.repeat(32) } }],
    ['invalid errors', { errors: undefined }],
  ])('a round accepts no entry if the verification of the service returns %s', async (_, answer) => {
    const log = playLog(250);
    log.purge(20);
    Object.assign(at(log, 21), { actor: 'nobody' });
    log.verifies = () => answer;
    const audit = auditor(log);
    await expect(audit.check()).rejects.toMatchObject({ code: 'invalid_response' });
    expect(audit.saved).toBeUndefined();
  });

  test('an audit round reports a finding for any random change of the log', async () => {
    const edit = fc.record({ id: fc.integer({ min: 1, max: 230 }), kind: fc.nat(5) });
    await fc.assert(
      fc.asyncProperty(edit, async ({ id, kind }) => {
        const log = playLog(230);
        const { entries } = log;
        const [entry, first] = [at(log, id), entries[id % 229] as AuditEntry];
        await log.remember();
        log.checkpoints = () => log.truth;
        if (kind === 0) entries.splice(id - 1, 1);
        else if (kind === 1) entries.splice(id - 1, 0, { ...entry });
        else if (kind === 2) entries.splice(id - 1, 1, { ...first, id });
        else if (kind === 3) entry.metadata['nth'] = 'another';
        else if (kind === 4) entry.hash = 'ab'.repeat(32);
        else entries.push(...entries.splice(id - 1, 1), { ...first, id: 231 });
        if (kind === 2 && first === entry) return;
        expect((await auditor(log).check()).ok).toBe(false);
      }),
      { numRuns: runs(60) },
    );
  });
});

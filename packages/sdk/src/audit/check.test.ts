import { InputError } from '@eaas/protocol';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { auditor } from '../../test/auditor.ts';
import { runs } from '@eaas/test-kit/cases';
import { ServiceError } from '../errors.ts';
import { playLog } from '../../test/played-log.ts';
import type { AuditEntry } from './list.ts';

describe('checkAudit with an honest log', () => {
  test.each([0, 1, 99, 100, 101, 350])(
    'an audit reads each of %i log entries once, in order',
    async (length) => {
      const log = playLog(length);
      const audit = auditor(log);
      const seen: number[] = [];
      const onEntry = ({ id }: AuditEntry) => void seen.push(id);
      expect(await audit.check({ onEntry })).toMatchObject({ ok: true, findings: [], checked: length });
      log.time++;
      log.append(3, 'key.export');
      expect(await audit.check({ onEntry })).toMatchObject({
        ok: true,
        checked: 3,
        checkpoint: { id: length + 3 },
      });
      expect(await audit.check({ onEntry })).toMatchObject({ ok: true, checked: 0 });
      expect(seen).toEqual(Array.from({ length: length + 3 }, (_, nth) => nth + 1));
      const head = { id: length + 3, hash: log.entries.at(-1)?.hash };
      expect(audit.saved).toMatchObject({
        start: { id: 0 },
        read: head,
        verified: head,
        tenant_id: log.tenantId,
      });
      expect(await audit.check({ full: true })).toMatchObject({ ok: true, checked: length + 3 });
    },
  );

  test('an audit round reads a growing log only up to the entry that the checkpoint signs', async () => {
    const log = playLog(500);
    log.before = () => {
      log.append(5);
      log.time++;
      log.append(5);
    };
    expect(await auditor(log).check()).toMatchObject({ ok: true, findings: [] });
    expect(log.calls['GET /v1/audit']).toBeLessThan(10);
  });

  test.each([1, 17, 60, 150])(
    '`checkAudit` reports no finding if %i new entries arrive before each request',
    async (growth) => {
      const log = playLog();
      log.append(700);
      log.before = () => log.append(growth);
      expect(await auditor(log).check()).toMatchObject({ ok: true, findings: [] });
      log.before = () => log.append(growth + ((log.calls['GET /v1/audit'] ?? 0) % 3));
      expect(await auditor(log).check()).toMatchObject({ ok: true, findings: [] });
    },
  );

  test('an audit round throws an error if the log grows faster than it can be read', async () => {
    const leaping = (leaps: readonly number[]) => {
      const log = playLog();
      log.append(300);
      let calls = 0;
      log.before = () => log.append(leaps[calls++ % leaps.length]);
      return auditor(log).check();
    };
    const thrown = { code: 'unavailable', retryable: true };
    await expect(leaping([0, 200])).rejects.toMatchObject(thrown);
    const anyLeaps = fc.array(fc.constantFrom(0, 0, 5, 70, 150), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(anyLeaps, async (leaps) => {
        const report = await leaping(leaps).catch((error: unknown) => error);
        expect([expect.objectContaining({ ok: true }), expect.objectContaining(thrown)]).toContainEqual(
          report,
        );
      }),
      { numRuns: runs(20) },
    );
  });

  test('an audit round continues if entries are purged while the round reads', async () => {
    const log = playLog(300);
    const audit = auditor(log);
    const beforePage = (nth: number, happen: () => void) => {
      const already = log.calls['GET /v1/audit'] ?? 0;
      log.before = () => void (log.calls['GET /v1/audit'] === already + nth && happen());
    };
    beforePage(2, () => log.purge(50));
    expect(await audit.check()).toMatchObject({ ok: true, findings: [] });
    log.append(200);
    beforePage(2, () => log.purge(330));
    const message = 'entries 301 to 330 were purged before they were read';
    expect((await audit.check()).findings).toEqual([{ code: 'purged_unread', id: 330, message }]);
    expect(audit.saved).toMatchObject({ start: { id: 330 }, verified: { id: 500 } });
    expect(await audit.check()).toMatchObject({ ok: true });
  });

  test('the first `checkAudit` of a purged log saves the hash of the last purged entry as `start`', async () => {
    const log = playLog(300);
    log.purge(150);
    const audit = auditor(log);
    expect(await audit.check()).toMatchObject({ ok: true, checked: 150 });
    expect(audit.saved?.start.id).toBe(150);
    log.purge(300);
    expect(await auditor(log).check()).toMatchObject({ ok: true, checked: 0, state: { start: { id: 300 } } });
    log.append(300);
    log.purge(350);
    log.before = () => {
      log.time++;
      log.append(50);
    };
    expect(await auditor(log).check()).toMatchObject({ ok: true, state: { start: { id: 350 } } });
  });

  test('an audit round succeeds after all signed entries were purged', async () => {
    const log = playLog(30);
    const audit = auditor(log);
    log.before = () => {
      if (log.calls['GET /v1/audit'] !== 1 || log.purged > 0) return;
      log.append(10);
      log.purge(35);
    };
    expect((await audit.check()).findings).toMatchObject([{ code: 'purged_unread', id: 35 }]);
    expect(audit.saved).toBeUndefined();
    expect(await audit.check()).toMatchObject({ ok: true, checked: 5, state: { start: { id: 35 } } });
  });

  test('if a call fails after a finding, the next round reports the finding again', async () => {
    const log = playLog(300);
    const audit = auditor(log);
    await audit.check();
    log.append(400);
    log.purge(350);
    const down = new ServiceError('unavailable', 'not now');
    const already = log.calls['GET /v1/audit'] ?? 0;
    log.before = () => {
      if (log.calls['GET /v1/audit'] === already + 7) throw down;
    };
    const options = { saveEvery: 100 };
    expect(await audit.check(options)).toMatchObject({ ok: false, findings: [{ code: 'purged_unread' }] });
    log.before = () => {};
    expect((await audit.check(options)).findings).toMatchObject([{ code: 'purged_unread', id: 350 }]);
  });

  test('an interrupted first round of a long log resumes at the last saved state', async () => {
    const log = playLog(700);
    const audit = auditor(log);
    const stop = new Error('the process ends');
    const progress: unknown[] = [];
    const onEntry = ({ id }: AuditEntry) => {
      if (id === 400) throw stop;
    };
    await expect(audit.check({ onEntry, saveEvery: 100 })).rejects.toBe(stop);
    const { read, verified, checkpoint } = audit.saved ?? {};
    expect({ verified, checkpoint }).toMatchObject({ verified: { id: 0 }, checkpoint: null });
    expect(read?.id).toBeGreaterThan(250);
    const report = await audit.check({ onProgress: (step) => progress.push(step) });
    expect(report).toMatchObject({ ok: true, checked: 700 - (read?.id ?? 0) });
    expect(progress.at(-1)).toEqual({ id: 700, through: 700 });
  });
});

test.each([
  ['an object in place of a list', { logs: {} }],
  ['an id that is text', { logs: [{ id: '1' }] }],
  ['null in place of an entry', { logs: [null] }],
  ['no limit', { limit: null }],
])('`checkAudit` throws `invalid_response` for a page of entries with %s', async (_, changes) => {
  const log = playLog(3);
  log.pages = (page) => ({ ...page, ...changes }) as never;
  await expect(auditor(log).check()).rejects.toMatchObject({ code: 'invalid_response' });
});

test('`checkAudit` refuses an unknown option, such as a misspelt `verifierKey`', async () => {
  const audit = auditor(playLog(3));
  const misnamed = { verifier_key: 'another' } as object;
  await expect(audit.check(misnamed)).rejects.toThrow(
    'no option `verifier_key`: did you mean `verifierKey`?',
  );
  expect(audit.saved).toBeUndefined();
});

test('`checkAudit` throws for an invalid saved state and does not start a first round instead', async () => {
  const log = playLog(3);
  const audit = auditor(log);
  await audit.check();
  for (const state of [
    '{}',
    {},
    { ...audit.saved, version: 2 },
    { ...audit.saved, read: { id: 1, hash: 'x' } },
  ]) {
    const store = { load: () => state, save: () => {} };
    await expect(audit.check({ store })).rejects.toThrow(InputError);
  }
});

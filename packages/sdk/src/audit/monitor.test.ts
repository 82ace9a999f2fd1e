import { expect, onTestFinished, test, vi } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { playLog } from '../../test/played-log.ts';
import { ServiceError } from '../errors.ts';
import { monitorAudit } from './monitor.ts';
import type { AuditState } from './state.ts';

function memory() {
  let saved: AuditState | undefined;
  return { load: () => saved, save: (state: AuditState) => void (saved = state) };
}

test('an audit monitor reports every round until its signal is aborted', async () => {
  const log = playLog(5);
  const stop = new AbortController();
  const checked: number[] = [];
  const options = { store: memory(), interval: 1, signal: stop.signal };
  for await (const report of monitorAudit(log, options)) {
    checked.push(report.checked);
    log.append(2);
    if (checked.length === 3) stop.abort();
  }
  expect(checked).toEqual([5, 2, 2]);
});

test('an aborted signal ends an audit monitor that waits for its next round', async () => {
  const stop = new AbortController();
  const options = { store: memory(), interval: 1e9, signal: stop.signal };
  const reports = monitorAudit(playLog(5), options);
  expect((await reports.next()).value).toMatchObject({ ok: true });
  const end = reports.next();
  stop.abort();
  expect(await end).toEqual({ done: true, value: undefined });
});

test('an audit monitor supports intervals longer than the longest platform timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const stop = new AbortController();
  const log = playLog(5);
  const reports = monitorAudit(log, { store: memory(), interval: 30 * 86_400_000, signal: stop.signal });
  await reports.next();
  const end = reports.next();
  await vi.advanceTimersByTimeAsync(20 * 86_400_000);
  expect(log.calls['GET /v1/audit/checkpoint']).toBe(1);
  stop.abort();
  await end;
});

test('an audit monitor continues after a finding', async () => {
  const log = playLog(5);
  const reports = monitorAudit(log, { store: memory(), interval: 1 });
  await reports.next();
  log.entries.pop();
  for (let round = 0; round < 2; round++)
    expect((await reports.next()).value).toMatchObject({ ok: false, findings: [{ code: 'rollback' }] });
  await reports.return();
});

test('a failed call makes an audit monitor throw or call `onError`', async () => {
  const log = playLog(5);
  const down = new ServiceError('network', 'the service could not be reached');
  log.before = () => {
    if ((log.calls['GET /v1/audit/checkpoint'] ?? 0) === 1) throw down;
  };
  await expect(monitorAudit(log, { store: memory() }).next()).rejects.toBe(down);

  delete log.calls['GET /v1/audit/checkpoint'];
  const told: Error[] = [];
  const onError = (error: Error) => void told.push(error);
  const reports = monitorAudit(log, { store: memory(), interval: 1, onError });
  expect((await reports.next()).value).toMatchObject({ ok: true });
  expect(told).toEqual([down]);
  await reports.return();
});

test('an error that the store throws ends the monitor', async () => {
  const broken = new Error('disk full');
  const store = { load: () => undefined, save: () => Promise.reject(broken) };
  const reports = monitorAudit(playLog(5), { store, onError: () => {} });
  await expect(reports.next()).rejects.toBe(broken);
});

test('if the code of the monitor cannot be loaded, `monitor` throws a LoadError, and the next call loads it', async () => {
  const { client } = observedClient();
  vi.doMock('./monitor.ts', () => {
    throw new TypeError('Failed to fetch dynamically imported module');
  });
  await expect(client.audit.monitor({ store: memory() }).next()).rejects.toMatchObject({
    name: 'LoadError',
    code: 'not_loaded',
    retryable: true,
  });
  vi.doUnmock('./monitor.ts');
  const reports = client.audit.monitor({ store: memory() });
  expect((await reports.next()).value).toMatchObject({ ok: true });
  await reports.return();
});

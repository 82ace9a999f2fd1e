import { expect, test } from 'vitest';
import { judgeTls, judgeSettings } from './database.ts';
import { judgeClock } from './examine.ts';
import { failed } from './finding.ts';

test.each([
  [null, 'ok'],
  ['postgres://server@localhost/eaas', 'ok'],
  ['postgres://server@[::1]:5432/eaas', 'ok'],
  ['postgres://server@%2Frun%2Fpostgresql/eaas', 'ok'],
  ['postgres://server@db.example/eaas', 'failed'],
  ['postgres://server@db.example/eaas?sslmode=disable', 'warning'],
  ['postgres://server@db.example/eaas?sslmode=require', 'warning'],
  ['postgres://server@db.example/eaas?sslmode=verify-full', 'ok'],
])('doctor reports an EAAS_DATABASE_URL of %s as %s', (url, status) => {
  const finding = judgeTls(url);
  expect(finding).toMatchObject({ status });
  expect(finding.message.includes('?sslmode=verify-full')).toBe(status !== 'ok');
});

const durable = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' };

test.each([
  [{}, ['ok', 'ok', 'ok']],
  [{ fsync: 'off' }, ['failed', 'ok', 'ok']],
  [{ full_page_writes: 'off' }, ['ok', 'failed', 'ok']],
  [{ synchronous_commit: 'off' }, ['ok', 'ok', 'failed']],
  [{ synchronous_commit: 'local' }, ['ok', 'ok', 'warning']],
  [{ synchronous_commit: 'remote_apply' }, ['ok', 'ok', 'ok']],
])('doctor reports the durability settings %j', (settings, statuses) => {
  const findings = judgeSettings({ ...durable, ...settings });
  expect(findings.map(({ check }) => check)).toEqual(['fsync', 'full_page_writes', 'synchronous_commit']);
  expect(findings.map(({ status }) => status)).toEqual(statuses);
});

test.each([
  [0, 'ok'],
  [60_000, 'ok'],
  [-60_001, 'failed'],
  [86_400_000, 'failed'],
])('doctor reports a clock difference of %i ms as %s', (milliseconds, status) => {
  expect(judgeClock(milliseconds)).toMatchObject({ status });
});

test('what doctor says of a PostgreSQL that does not start is one line', () => {
  const message = 'PostgreSQL did not start. It ended.\nLOG:  starting\nFATAL:  no space left';
  expect(failed(message).message).toBe(
    'PostgreSQL did not start. It ended. LOG: starting FATAL: no space left',
  );
});

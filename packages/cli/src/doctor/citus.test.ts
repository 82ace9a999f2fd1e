import { expect, test } from 'vitest';
import { type CitusNode, judgeNodes } from './citus.ts';

const settings = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', wal_level: 'logical' };
const functions = { append: 'a', purge_entries: 'b' };
const coordinator: CitusNode = { name: 'c:5432', isCoordinator: true, fault: null, settings, functions };
const worker: CitusNode = { ...coordinator, name: 'w:5432', isCoordinator: false };

const statusesOf = (changed: Partial<CitusNode>) =>
  judgeNodes([coordinator, worker, { ...worker, name: 'bad:5432', ...changed }], []).map(
    ({ check, status }) => `${check} ${status}`,
  );

test.each([
  [{}, ['citus ok']],
  [{ settings: { ...settings, fsync: 'off' } }, ['fsync failed']],
  [{ settings: { ...settings, full_page_writes: 'off' } }, ['full_page_writes failed']],
  [{ settings: { ...settings, synchronous_commit: 'off' } }, ['synchronous_commit failed', 'citus failed']],
  [{ settings: { ...settings, synchronous_commit: 'local' } }, ['synchronous_commit warning']],
  [{ settings: { ...settings, wal_level: 'replica' } }, ['citus warning']],
  [{ functions: { ...functions, append: 'other' } }, ['citus failed']],
  [{ functions: {} }, ['citus failed']],
  [{ fault: 'connection refused', settings: null, functions: null }, ['citus failed']],
])('doctor reports a worker of Citus with %j as %j', (changed, statuses) => {
  expect(statusesOf(changed)).toEqual(statuses);
});

test('doctor names a Citus worker whose SQL functions differ from those of the coordinator, and gives the repair command', () => {
  const [finding] = judgeNodes([coordinator, { ...worker, functions: { append: 'other' } }], []);
  expect(finding?.message).toContain('On the worker w:5432, the functions append, purge_entries differ');
  expect(finding?.message).toContain("select citus_activate_node('w', 5432)");
});

test('doctor reports tables that are only on the coordinator, and a cluster without workers', () => {
  expect(judgeNodes([coordinator, worker], ['keys'])).toMatchObject([
    { status: 'failed', message: expect.stringContaining('keys are only on the coordinator') as string },
  ]);
  expect(judgeNodes([coordinator], [])).toMatchObject([{ check: 'citus', status: 'warning' }]);
});

import { randomBytes } from 'node:crypto';
import { memoryStore } from '@eaas/local/internal';
import { expect, test } from 'vitest';
import { rootKey } from '../crypto/tenant-secrets.ts';
import { type Ref, type Table } from '../ledger/table.ts';
import { apiKeys, keyVersions } from '../ledger/tables.ts';
import { run } from '../operate.ts';
import { insider } from '../operation.ts';
import { createService } from '../service.ts';
import { newTenant } from './tenants.ts';

async function openTenant() {
  const store = memoryStore({ now: Date.now });
  const roots = [rootKey(randomBytes(32))] as const;
  const { record, head, writes } = newTenant(roots, { name: 'ann' }, Date.now());
  await store.create(head, writes);
  const accused: string[] = [];
  const listener = { tampered: (table: string) => void accused.push(table) };
  const service = createService({ store, roots, listener, patience: 600_000 });
  const operator = insider(record.tenant_id, 'operator');
  const call = <R extends Parameters<typeof run>[2]>(route: R, input: Parameters<typeof run<R>>[3]) =>
    run(service, operator, route, input).then(({ answer }) => answer);
  const rowsOf = ({ name }: Pick<Table<never>, 'name'>) =>
    store.tenants.get(record.tenant_id)?.tables.get(name) ?? new Map();
  /** Changes a column of the first row of a table behind the service's back. */
  const alter = (table: Pick<Table<never>, 'name'>, values: object): void => {
    const [[ref, stored]] = rowsOf(table) as unknown as [[Ref, { row: object }]];
    rowsOf(table).set(ref, { ...stored, row: { ...stored.row, ...values } });
  };
  return { service, operator, call, alter, rowsOf, accused };
}

test('lists and the destruction of a key leave out no row that somebody altered', async () => {
  const { call, alter, accused } = await openTenant();
  const unavailable = { code: 'unavailable' };
  const { key_id } = await call('POST /v1/keys', { name: 'mail' });
  for (const name of ['app', 'job']) await call('POST /v1/api-keys', { name, permissions: ['encrypt'] });
  await call('POST /v1/keys/:key_id/rotate', { key_id });
  await call('POST /v1/keys/:key_id/disable', { key_id });
  alter(apiKeys, { name: 'other' });
  alter(keyVersions, { created_at: 'of another type' });
  await expect(call('GET /v1/api-keys', {})).rejects.toMatchObject(unavailable);
  await expect(call('DELETE /v1/keys/:key_id', { key_id, grace_days: 0 })).rejects.toMatchObject(unavailable);
  expect(accused).toEqual([apiKeys.name, keyVersions.name]);
});

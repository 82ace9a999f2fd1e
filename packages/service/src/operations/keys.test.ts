import { randomBytes } from 'node:crypto';
import { publicJwk } from '@eaas/test-kit/rsa';
import { expect, test, vi } from 'vitest';
import { openTenant } from '../../test/open-tenant.ts';
import type { Link } from '../ledger/store.ts';
import type { Ref, Table } from '../ledger/table.ts';
import { apiKeys, type KeyVersionRow, keyVersions } from '../ledger/tables.ts';
import { settle } from '../operate.ts';
import { verifyTenant } from '../verify/verify.ts';
import { settleKey } from './keys.ts';

async function open() {
  const accused: string[] = [];
  const destructions: Link[] = [];
  const listener = {
    tampered: (table: string) => void accused.push(table),
    appended: (_: string, link: Link) =>
      void (link.runs.some(({ action }) => action === 'key.destroy') && destructions.push(link)),
  };
  const { store, tenantId, operator, start, callOn, ...first } = await openTenant({ listener });
  let { service } = first;
  /** Another server goes on with what is stored. */
  const restart = (): void => {
    service = start();
  };
  const call: typeof first.call = (route, input) => callOn(service)(route, input);
  const settleDue = (key_id: string) => settle(service, operator, settleKey(service, operator, { key_id }));
  const verified = () => verifyTenant(service, tenantId);
  /** Makes a disabled key of so many versions. */
  const keyOf = async (versions: number) => {
    const { key_id } = await call('POST /v1/keys', { name: 'mail', exportable: true });
    const dek = randomBytes(32).toString('base64');
    const { wrapped_key } = await call('POST /v1/keys/:key_id/wrap', { key_id, dek });
    await Promise.all(
      Array.from({ length: versions - 1 }, () => call('POST /v1/keys/:key_id/rotate', { key_id })),
    );
    await call('POST /v1/keys/:key_id/disable', { key_id });
    return { key_id, wrapped_key };
  };
  const rowsOf = ({ name }: Pick<Table<never>, 'name'>) =>
    store.tenants.get(tenantId)?.tables.get(name) ?? new Map();
  /** How many versions of keys still have their secrets. */
  const left = () =>
    [...rowsOf(keyVersions).values()].filter(({ row }) => (row as KeyVersionRow).sealed !== null).length;
  /** Changes a column of the first row of a table behind the service's back. */
  const alter = (table: Pick<Table<never>, 'name'>, values: object): void => {
    const [[ref, stored]] = rowsOf(table) as unknown as [[Ref, { row: object }]];
    rowsOf(table).set(ref, { ...stored, row: { ...stored.row, ...values } });
  };
  return { store, restart, call, settleDue, verified, keyOf, alter, left, accused, destructions };
}

test('a key that is remembered is read with its versions and their uses in one snapshot', async () => {
  const { store, call, keyOf } = await open();
  const { key_id, wrapped_key } = await keyOf(3);
  await call('POST /v1/keys/:key_id/enable', { key_id });
  for (let nth = 0; nth < 2; nth++) await call('POST /v1/keys/:key_id/unwrap', { key_id, wrapped_key });
  const read = vi.spyOn(store, 'read');
  const { versions } = await call('GET /v1/keys/:key_id', { key_id, limit: 2, offset: 1 });
  expect(versions.map(({ key_version, wraps, unwraps }) => [key_version, wraps, unwraps])).toEqual([
    [2, 0, 0],
    [1, 1, 2],
  ]);
  expect(read).toHaveBeenCalledTimes(1);
});

test('lists and the destruction of a key leave out no row that somebody altered', async () => {
  const { call, alter, accused } = await open();
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

test.each([
  [500, ['true']],
  [1_001, [undefined, undefined, 'true']],
])(
  'a key of %i versions is erased in pieces, of which only the last says that it is erased',
  async (versions, said) => {
    const { call, verified, keyOf, left, destructions } = await open();
    const { key_id } = await keyOf(versions);
    const answer = await call('DELETE /v1/keys/:key_id', { key_id, grace_days: 0 });
    expect(answer).toMatchObject({ status: 'destroyed', key_version: versions });
    const told = destructions.flatMap(({ runs }) =>
      runs.map(({ metadata }) => /"erased":(\w+)/.exec(metadata)?.[1]),
    );
    expect(told).toEqual(said);
    for (const { writes } of destructions) expect(writes.length).toBeLessThanOrEqual(501);
    expect(left()).toBe(0);
    expect(await verified()).toMatchObject({ valid: true, rows_checked: true });
  },
);

test('a key whose erasure was interrupted is refused to everybody, and the next server goes on', async () => {
  const { store, restart, call, settleDue, verified, keyOf, left, destructions } = await open();
  const { key_id, wrapped_key } = await keyOf(501);
  const whole = { ...store };
  store.locked = (...all) => (destructions.length > 0 ? new Promise(() => {}) : whole.locked(...all));
  restart();
  void call('DELETE /v1/keys/:key_id', { key_id, grace_days: 0 });
  await vi.waitFor(() => expect(destructions).toHaveLength(1));
  Object.assign(store, whole);
  restart();
  expect(await call('GET /v1/keys/:key_id', { key_id })).toMatchObject({ status: 'pending_destruction' });
  expect(await verified()).toMatchObject({ valid: true, rows_checked: true });
  const { n = '', e = '' } = publicJwk();
  const refused = [
    call('POST /v1/keys/:key_id/unwrap', { key_id, wrapped_key }),
    call('POST /v1/keys/:key_id/export', { key_id, public_key: { kty: 'RSA', n, e } }),
    call('POST /v1/keys/:key_id/enable', { key_id }),
    call('POST /v1/keys/:key_id/restore', { key_id }),
    call('DELETE /v1/keys/:key_id', { key_id, grace_days: 0 }),
  ];
  for (const each of refused) await expect(each).rejects.toMatchObject({ code: 'key_state' });
  await settleDue(key_id);
  expect(await call('GET /v1/keys/:key_id', { key_id })).toMatchObject({ status: 'destroyed' });
  expect(left()).toBe(0);
  expect(await verified()).toMatchObject({ valid: true, rows_checked: true });
});

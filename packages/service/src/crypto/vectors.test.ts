import { pae } from '@eaas/protocol';
import type { SecretPlace } from '@eaas/protocol/internal';
import { bytes, vectors } from '@eaas/test-kit/vectors';
import { describe, expect, test } from 'vitest';
import { checkRow, masked, partsOf, rowInSum, withMac } from '../ledger/row-macs.ts';
import type { Table } from '../ledger/table.ts';
import { anchors, apiKeys, heads, type KeyRow, keys, keyVersions, tenants } from '../ledger/tables.ts';
import { keyCrypto } from '../rules/key-crypto.ts';
import { Tampered } from '../rules/refusal.ts';
import * as node from './platform.node.ts';
import * as portable from './platform.ts';

const { tenant_id, link, rows, sums, ...ledger } = vectors('ledger');
const hex = (data: Uint8Array | undefined) => data && Buffer.from(data).toString('hex');
const latin1 = (text: string) => Buffer.from(text, 'hex').toString('latin1');
const rowOf = (row: object): object =>
  JSON.parse(JSON.stringify(row), (_, value) => (value?.hex ? Buffer.from(value.hex, 'hex') : value));
const tables = [tenants, keys, keyVersions, apiKeys, heads, anchors] as unknown as Table<never>[];
const tableOf = (wanted: string) => tables.find(({ name }) => name === wanted) as Table<never>;

describe.each<[string, typeof node, typeof node]>([
  ['OpenSSL', node, portable],
  ['noble', portable, node],
])('with %s', (_, platform, other) => {
  const keyOf = (base64: string) => platform.secretOf(bytes(base64));

  test('secrets are sealed as in the vectors, and no others open', () => {
    const { cases, refusals } = vectors('sealed-secret');
    const placeOf = ({ tenant: tenantId, key: keyId, context, ...rest }: (typeof refusals)[number]) =>
      ({ ...rest, tenantId, keyId, context: context ?? undefined }) as unknown as SecretPlace;
    for (const vector of cases) {
      const [ikm, place, sealed] = [keyOf(vector.ikm), placeOf(vector), bytes(vector.sealed)];
      const sealer = platform.sealer(ikm, place);
      expect(hex(sealer.seal(bytes(vector.secret), place.context, bytes(vector.salt)))).toBe(hex(sealed));
      expect(sealer.open(sealed, place.context)).toEqual(bytes(vector.secret));
      const made = platform.newMaterial(ikm, place);
      const there = other.openSecret(other.secretOf(bytes(vector.ikm)), place, made);
      expect(hex(platform.openSecret(ikm, place, made))).toBe(hex(there));
      expect(there).toHaveLength(32);
    }
    for (const vector of refusals) {
      expect(platform.openSecret(keyOf(vector.ikm), placeOf(vector), bytes(vector.sealed))).toBeUndefined();
    }
  });

  test('keys are derived, and checkpoints signed, as in the vectors', async () => {
    for (const { tenant, tenant_secret, name, key } of vectors('sealed-secret').tenant_keys) {
      const derived = platform.hkdf(bytes(tenant_secret), pae('eaas tenant v1', tenant, name));
      expect(hex(platform.exportSecret(derived))).toBe(hex(bytes(key)));
    }
    for (const { seed, text, public_key, note } of vectors('checkpoint').cases) {
      const { publicKey, signature } = await platform.signEd25519(keyOf(seed), Buffer.from(text));
      expect(hex(publicKey)).toBe(hex(bytes(public_key)));
      expect(hex(signature)).toBe(hex(bytes(note.split(' ').at(-1) ?? '').subarray(4)));
      expect(await platform.verifyEd25519(publicKey, signature, Buffer.from(text))).toBe(true);
      expect(await platform.verifyEd25519(publicKey, signature, Buffer.from(note))).toBe(false);
    }
  });

  test('rows and entries have the MACs of the vectors', () => {
    for (const { table, row, in_sum } of rows.filter((each) => each.in_sum)) {
      const parts = partsOf(tableOf(table), rowOf(row));
      const encoded = platform.paeView(['eaas row in sum v1', table, ...parts]);
      expect(hex(platform.hmac(keyOf(ledger.row_sum_key), encoded))).toBe(in_sum);
    }
    const { first, next } = platform.entryHashes();
    const hashes = link.entries.map((entry) => latin1(entry.hash));
    const [entry, ...others] = link.entries;
    const stored = entry && { ...entry, tenant_id, salt: Buffer.from(entry.salt, 'hex') };
    expect(stored && first(latin1(link.previous), stored)).toBe(hashes[0]);
    const following = others.map(({ id, salt }, at) => next(hashes[at] ?? '', id, latin1(salt)));
    expect(following).toEqual(hashes.slice(1));
    const macs = platform.entryMacs(keyOf(ledger.audit_mac_key), hashes);
    expect(macs).toEqual(link.entries.map(({ mac }) => latin1(mac)));
  });
});

test.each(rows)('$name has the MAC of the vector, and no other columns have it', (vector) => {
  const secrets = { rowMac: node.secretOf(bytes(ledger.row_mac_key)) };
  const table = tableOf(vector.table);
  const row = withMac(secrets, table, rowOf(vector.row));
  expect(Object.keys(vector.row)).toEqual(table.columns);
  expect(hex(row.mac)).toBe(vector.mac ?? undefined);
  const newest_rev = table.record?.revOf(row as never) ?? null;
  expect(checkRow(secrets, table, { row, newest_rev })).toBe(row);
  const altered = vector.mac
    ? table.columns.map((name) => ({ row: { ...row, [name]: [['x']] }, newest_rev }))
    : [];
  const older = table.record ? [{ row, newest_rev: 99 }] : [];
  for (const stored of [...altered, ...older]) {
    expect(() => checkRow(secrets, table, stored)).toThrow(Tampered);
  }
});

test.each(sums)('the sum of rows is that of the vector: $name', ({ row_sum_key, rows, id, sum, ...link }) => {
  const secrets = { rowSum: node.secretOf(bytes(row_sum_key)) };
  const added = rows.reduce((sum, { table: name, row }) => {
    const table = { name, id: [], columns: Object.keys(row) } as unknown as Table<never>;
    return sum + rowInSum(secrets, table, rowOf(row));
  }, 0n);
  const [hash, nonce] = [link.hash, link.nonce].map((text) => Buffer.from(text, 'hex')) as [Buffer, Buffer];
  expect(hex(masked(secrets, { id, hash, nonce }, added))).toBe(sum);
});

test('fingerprints that the service computes are those of the vectors', () => {
  const { cases, refusals } = vectors('hash');
  const hashUnder = (hashKey: string, value: string) =>
    keyCrypto(
      { find: () => null, open: () => node.secretOf(bytes(hashKey)) },
      { sealed_hash_key: new Uint8Array(78) } as unknown as KeyRow,
      [],
    ).hash(value);
  for (const { hash_key, value, hash } of cases) expect(hashUnder(hash_key, value)).toBe(hash);
  for (const { value_json } of refusals) {
    expect(() => hashUnder(cases[0]?.hash_key ?? '', JSON.parse(value_json) as string)).toThrow('surrogate');
  }
});

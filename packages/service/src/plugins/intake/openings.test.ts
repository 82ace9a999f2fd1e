import { parsePublicKey, wrapForIntake } from '@eaas/protocol/intake';
import { expect, test } from 'vitest';
import { secretOf } from '#platform';
import type { View } from '../../ledger/decision.ts';
import { type KeyRow, keyVersions } from '../../ledger/tables.ts';
import { Tampered } from '../../rules/refusal.ts';
import type { Fair, Service } from '../../service.ts';
import { intake } from './index.ts';

const key = {
  tenant_id: '00000000-0000-4000-8000-000000000001',
  key_id: '00000000-0000-4000-8000-000000000002',
  key_version: 1,
  status: 'active',
  intake: true,
} as unknown as KeyRow;
const altered: KeyRow = { ...key, key_id: '00000000-0000-4000-8000-000000000003' };
const secret = secretOf(new Uint8Array(32).fill(7));
const view = {
  tenant: { tenant_id: key.tenant_id },
  find(table: object, id: string) {
    if (table !== keyVersions) return id === altered.key_id ? altered : key;
    if (id === altered.key_id) throw new Tampered(keyVersions.name, id, key.tenant_id);
    return { sealed: new Uint8Array() };
  },
  open: () => secret,
} as unknown as View;
const deks = [1, 2, 3].map((nth) => new Uint8Array(32).fill(nth));

async function wrappedKeys(): Promise<Uint8Array[]> {
  const show = intake().endpoints?.['GET /v1/keys/:key_id/public-key'];
  if (!show) throw new Error('intake must show public keys');
  const part = show({} as Service, {} as never, { key_id: key.key_id } as never, {} as never);
  await part.prepare?.(view, null);
  const { intake_public_key } = part.judge(view, null).answer as { intake_public_key: string };
  const publicKey = parsePublicKey(intake_public_key);
  return Promise.all(deks.map(async (dek) => (await wrapForIntake(publicKey, dek)).wrappedKey));
}

async function setUp(keys = [key, key, key]) {
  const fair: Fair = { isOver: () => false, pause: () => Promise.resolve() };
  const calls = (await wrappedKeys()).map((wrapped, nth) => ({ key_id: keys[nth]?.key_id ?? '', wrapped }));
  const counts: number[] = [];
  const keying = intake((count) => counts.push(count)).keying?.(calls, { fair }, 'unwrap');
  if (!keying) throw new Error('a request with wrapped keys of writers must have a part of intake');
  const act = { verb: 'unwrap', holder: null, named: key } as const;
  const openOne = (nth: number, row = key) => {
    const call = calls[nth] ?? { key_id: key.key_id };
    return keying.find?.(view, { ...act, key: row, call })?.opens?.(undefined);
  };
  const open = (row = key) => calls.map((_, nth) => openOne(nth, row));
  return { keying, counts, open, openOne };
}

/** Each judgement wipes what it has opened, as the rules do. */
function wiped(dek: Uint8Array | undefined) {
  const copy = dek?.slice();
  dek?.fill(0);
  return copy;
}

test('a request that is judged again opens each wrapped key, and counts it once', async () => {
  const { keying, counts, open } = await setUp();
  expect(open).toThrow(/not prepared/);
  await keying.prepare?.(view, null);
  await keying.prepare?.(view, null);
  for (let nth = 0; nth < 2; nth++) expect(open().map(wiped)).toEqual(deks);
  keying.end?.();
  expect(counts).toEqual([3]);
  expect(open).toThrow(/not prepared/);
});

test('a version that was altered refuses its own items, and those of no other key', async () => {
  const { keying, openOne } = await setUp([altered, key, key]);
  await keying.prepare?.(view, null);
  expect(() => openOne(0, altered)).toThrow(Tampered);
  expect([openOne(1), openOne(2)]).toEqual(deks.slice(1));
});

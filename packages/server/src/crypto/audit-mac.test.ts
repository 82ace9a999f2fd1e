import { createHash, createSecretKey } from 'node:crypto';
import { InputError } from '@eaas/protocol';
import { entryPreimage, type StoredEntry } from '@eaas/protocol/audit';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '@eaas/test-kit/arbitraries';
import { runs } from '@eaas/test-kit/cases';
import { bytes, vectors } from '@eaas/test-kit/vectors';
import { entryHashes, entryMacs, entryPreimageView, entryMacHolds } from './macs.ts';

const { tenant_id, audit_mac_key, hash_0, chain } = vectors('audit-chain');
const auditMac = createSecretKey(bytes(audit_mac_key));
const links = chain.map(({ entry, metadata_text, created_at_ms, hash, mac }, index) => ({
  id: entry.id,
  previous: Buffer.from(chain[index - 1]?.hash ?? hash_0, 'hex'),
  stored: { ...entry, tenant_id, metadata: metadata_text, created_at: created_at_ms },
  hash: Buffer.from(hash, 'hex'),
  mac: Buffer.from(mac, 'hex'),
}));

const text = fc.string({ unit: anyCharacter });
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const anyEntry: fc.Arbitrary<StoredEntry> = fc.record({
  tenant_id: fc.uuid(),
  id: fc.maxSafeNat(),
  action: text,
  key_id: orNull(fc.uuid()),
  key_version: orNull(fc.maxSafeNat()),
  actor: text,
  ip_address: orNull(fc.ipV6()),
  metadata: fc.oneof(text, fc.json()),
  created_at: fc.maxSafeInteger(),
});

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

function chainEntry(previous: Uint8Array, entry: StoredEntry) {
  const hash = entryHashes().first(latin1(previous), entry);
  const [mac = ''] = entryMacs(auditMac, [hash]);
  return { hash: Buffer.from(hash, 'latin1'), mac: Buffer.from(mac, 'latin1') };
}

describe('the audit chain', () => {
  test.each(links)(
    'the hash and the MAC of entry $id match the vector',
    ({ previous, stored, hash, mac }) => {
      expect(chainEntry(previous, stored)).toEqual({ hash, mac });
      expect(entryMacHolds(auditMac, hash, mac)).toBe(true);
    },
  );

  test('the hash of any entry covers the bytes that the protocol defines', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), anyEntry, (previous, entry) => {
        const expected = entryPreimage(previous, entry);
        expect(Buffer.compare(entryPreimageView(previous, entry), expected)).toBe(0);
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('if entries differ only in their ids, `next` returns the hashes that the protocol defines', () => {
    const ids = fc.array(fc.oneof(fc.nat(20), fc.maxSafeNat()), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), anyEntry, ids, (start, fields, ids) => {
        const hashes = entryHashes();
        let previous = Buffer.from(start);
        for (const [index, id] of ids.entries()) {
          const entry = { ...fields, id };
          const expected = createHash('sha256').update(entryPreimage(previous, entry)).digest();
          const hash = index > 0 ? hashes.next(latin1(previous), id) : hashes.first(latin1(previous), entry);
          expect(hash).toBe(latin1(expected));
          previous = expected;
        }
      }),
    );
  });

  test.each([
    ['hash', (mac: Buffer) => mac, Buffer.alloc(32), auditMac],
    ['key', (mac: Buffer) => mac, undefined, createSecretKey(Buffer.alloc(32))],
    [
      'bit',
      (mac: Buffer) => Buffer.from(mac.map((byte, at) => (at === 31 ? byte ^ 1 : byte))),
      undefined,
      auditMac,
    ],
    ['shorter MAC', (mac: Buffer) => mac.subarray(0, 31), undefined, auditMac],
    ['longer MAC', (mac: Buffer) => Buffer.concat([mac, mac]), undefined, auditMac],
  ])('the MAC of an audit entry is invalid for another %s', (_, alter, hash, key) => {
    const [first] = links;
    if (!first) throw new Error('no entries');
    expect(entryMacHolds(key, hash ?? first.hash, alter(first.mac))).toBe(false);
  });

  test('entries that the protocol cannot encode are refused', () => {
    const [first] = links;
    if (!first) throw new Error('no entries');
    const entry = { ...first.stored, metadata: '"\ud800"' };
    expect(() => entryPreimage(first.previous, entry)).toThrow(InputError);
    expect(() => chainEntry(first.previous, entry)).toThrow(InputError);
  });
});

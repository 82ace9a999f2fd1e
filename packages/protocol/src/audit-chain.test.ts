import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { vectors } from '@eaas/test-kit/vectors';
import { chainHash, ChainWalk, entryDigest, entryParts, genesisHash } from './audit-chain.ts';
import { canonicalJson } from './canonical-json.ts';
import { pae } from './pae.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('the audit chain', () => {
  const { tenant_id: tenant, hash_0: start, chain } = vectors('audit-chain');
  const links = chain.map((link, index) => {
    const previous = Buffer.from(chain[index - 1]?.hash ?? start, 'hex');
    return { id: link.entry.id, link, previous };
  });

  test('the genesis hash depends on the tenant id', () => {
    expect(hex(genesisHash(tenant))).toBe(start);
  });

  test.each(links)(
    'the hash of entry $id, as GET /v1/audit returns it, matches the vector',
    ({ link, previous }) => {
      const { entry, digest, hash } = link;
      expect(entry.hash).toBe(hash);
      const own = entryDigest({ ...entry, tenant_id: tenant });
      expect([hex(own), hex(chainHash(previous, own))]).toEqual([digest, hash]);
    },
  );

  test.each(links)('the digest of entry $id in its stored form matches the vector', ({ link }) => {
    const { entry, metadata_json: json, metadata_text: metadata, created_at_ms: time, digest } = link;
    expect(canonicalJson(JSON.parse(json))).toBe(metadata);
    const salt = Buffer.from(entry.salt, 'hex');
    const stored = { ...entry, tenant_id: tenant, metadata, created_at: time, salt };
    expect(
      createHash('sha256')
        .update(pae(...entryParts(stored)))
        .digest('hex'),
    ).toBe(digest);
  });
});

test('a change of any member of an entry changes its digest', () => {
  const entry = {
    tenant_id: '00000000-0000-4000-8000-000000000001',
    id: 1,
    action: 'key.wrap',
    key_id: 'k',
    key_version: 1,
    actor: 'operator',
    ip_address: '192.0.2.1',
    metadata: { a: '1' },
    created_at: '2026-08-11T00:00:00.000Z',
    salt: '00'.repeat(16),
  } as const;
  const changes = {
    tenant_id: 'other',
    id: 2,
    action: 'key.unwrap',
    key_id: null,
    key_version: null,
    actor: 'system',
    ip_address: null,
    metadata: { a: '2' },
    created_at: '2026-08-11T00:00:00.001Z',
    salt: '01'.repeat(16),
  } as const;
  expect(Object.keys(changes)).toEqual(Object.keys(entry));
  const digests = Object.entries(changes).map(([name, value]) =>
    hex(entryDigest({ ...entry, [name]: value })),
  );
  expect(new Set([hex(entryDigest(entry)), ...digests]).size).toBe(1 + digests.length);
});

describe('a walk along the chain', () => {
  const step = (walk: ChainWalk<string>, id: number, previous: string, time = 0) =>
    walk.step({ id, hash: `hash ${id}`, time }, (before) => before === previous);
  const walked = (...entries: readonly (readonly [number, string, number?])[]) => {
    const walk = new ChainWalk({ next: 1, previous: 'hash 0' });
    return entries.map(([id, previous, time]) => step(walk, id, previous, time));
  };
  const sound = { missing: 0, isRepeated: false, isAltered: false, wentBack: false };

  test('an intact chain has no findings', () => {
    expect(walked([1, 'hash 0'], [2, 'hash 1'], [3, 'hash 2'])).toEqual([sound, sound, sound]);
  });

  test('counts the entries that it has passed, sound or not', () => {
    const walk = new ChainWalk({ next: 1, previous: 'hash 0' });
    step(walk, 1, 'hash 0');
    step(walk, 2, 'other');
    step(walk, 5, 'unknown');
    expect(walk.checked).toBe(3);
  });

  test.each([
    ['an altered entry', [1, 'other'], { ...sound, isAltered: true }, [2, 'hash 1']],
    ['a gap', [4, 'unknown'], { ...sound, missing: 3 }, [5, 'hash 4']],
    ['an entry out of order', [0, 'hash 0'], { ...sound, isRepeated: true }, [1, 'hash 0']],
    ['an older entry', [1, 'hash 0', -1], { ...sound, wentBack: true }, [2, 'hash 1']],
  ] as const)('%s is one finding', (_, entry, found, next) => {
    expect(walked(entry, next)).toEqual([found, sound]);
  });
});

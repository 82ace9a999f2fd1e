import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, test } from 'vitest';
import { vectors } from '@eaas/test-kit/vectors';
import { entryHash, entryPreimage, genesisHash } from './audit-chain.ts';
import { canonicalJson } from './canonical-json.ts';

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
      const { entry, hash } = link;
      expect(entry.hash).toBe(hash);
      expect(hex(entryHash(previous, { ...entry, tenant_id: tenant }))).toBe(hash);
    },
  );

  test.each(links)('the hash of entry $id in its stored form matches the vector', ({ link, previous }) => {
    const { entry, metadata_json: json, metadata_text: metadata, created_at_ms: time, hash } = link;
    expect(canonicalJson(JSON.parse(json))).toBe(metadata);
    const stored = { ...entry, tenant_id: tenant, metadata, created_at: time };
    expect(hex(sha256(entryPreimage(previous, stored)))).toBe(hash);
  });

  test('a change of any field of an entry changes its hash', () => {
    const entry = {
      tenant_id: tenant,
      id: 1,
      action: 'key.wrap',
      key_id: 'k',
      key_version: 1,
      actor: 'operator',
      ip_address: '192.0.2.1',
      metadata: { a: '1' },
      created_at: '2026-08-11T00:00:00.000Z',
    };
    const previous = genesisHash(tenant);
    const changes = [
      { tenant_id: 'other' },
      { id: 2 },
      { action: 'key.unwrap' },
      { key_id: null },
      { key_version: null },
      { actor: 'system' },
      { ip_address: null },
      { metadata: { a: '2' } },
      { created_at: '2026-08-11T00:00:00.001Z' },
    ];
    const hashes = [{}, ...changes].map((change) => hex(entryHash(previous, { ...entry, ...change })));
    hashes.push(hex(entryHash(genesisHash('other'), entry)));
    expect(new Set(hashes).size).toBe(changes.length + 2);
  });
});

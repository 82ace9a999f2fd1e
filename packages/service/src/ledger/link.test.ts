import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { openTenantSecrets, rootKey } from '../crypto/tenant-secrets.ts';
import { newTenant } from '../operations/tenants.ts';
import { type Draft, tenantDraft } from '../rules/draft.ts';
import { beginLink } from './link.ts';
import type { TenantRow } from './tables.ts';

const roots = [rootKey(new Uint8Array(32))] as const;
const { head, writes } = newTenant(roots, { name: 'acme' }, Date.now());
const author = { actor: 'operator', ipAddress: null };
const secrets = openTenantSecrets(roots, writes[0]?.row as TenantRow);
const newLink = () => beginLink(secrets, new Map(), head, head.created_at, 0n);

test.each([
  ['2,000 entries', 1_999, '{}'],
  ['512 KiB of texts', 13, 'x'.repeat(40_000)],
])('a link is full with %s', (_, most, metadata) => {
  const link = newLink();
  const add = (nth: number) =>
    link.add({ ...author, actor: `${nth}` }, { ...tenantDraft('tenant.update', {}), metadata });
  for (let nth = 0; nth < most; nth++) add(nth);
  expect(link.isFull()).toBe(false);
  add(most);
  expect(link.isFull()).toBe(true);
});

// Of few values, so that many neighbours differ in one thing or in nothing.
const anyDraft = fc.record({
  action: fc.constantFrom('key.wrap' as const, 'key.unwrap' as const),
  key_id: fc.constantFrom(null, '00000000-0000-4000-8000-000000000001'),
  key_version: fc.constantFrom(null, 1, 2),
  metadata: fc.constantFrom('{}', '{"outcome":"refused"}'),
  actor: fc.constantFrom('operator', 'system'),
  ip_address: fc.constantFrom(null, '192.0.2.1'),
});

test('a link names the blocks of its entries that are not known to be stored', () => {
  const known = new Set(['0 by operator']);
  const link = beginLink(secrets, new Map(), { ...head, id: 1_020 }, head.created_at, 0n, known);
  const add = (action: Draft['action']) => link.add(author, { ...tenantDraft(action, {}) });
  for (let id = 1_021; id <= 2_048; id++) add(id === 1_022 ? 'decrypt' : 'key.create');
  const { blocks } = link.complete(head, head.created_at);
  expect(blocks).toEqual(['0 decrypt', '0 decrypt by operator', '1 by operator', '2 by operator']);
});

test('each entry has a salt of its own, in this link and in another', () => {
  const salts = [newLink(), newLink()].flatMap((link) => {
    for (let nth = 0; nth < 70; nth++) link.add(author, tenantDraft('tenant.update', {}));
    const { seals } = link.complete(head, head.created_at);
    return Array.from({ length: 70 }, (_, nth) => Buffer.from(seals.subarray(80 * nth + 64, 80 * nth + 80)));
  });
  expect(new Set(salts.map((salt) => salt.toString('hex'))).size).toBe(140);
});

test('the runs of a link expand to its drafts, and its tallies count them', () => {
  const property = fc.property(fc.array(anyDraft, { minLength: 1, maxLength: 30 }), (drafts) => {
    const link = newLink();
    for (const { actor, ip_address: ipAddress, ...draft } of drafts) {
      link.add({ actor, ipAddress }, { ...draft, isRefused: draft.metadata !== '{}' });
    }
    const { runs, seals, next, tallies } = link.complete(head, head.created_at);
    const expanded = runs.flatMap(({ first, last, ...run }) =>
      Array.from({ length: last - first + 1 }, () => run),
    );
    expect(expanded).toEqual(drafts);
    expect(runs.map(({ first }) => first)).toEqual([1, ...runs.slice(0, -1).map(({ last }) => last + 1)]);
    expect([seals.length, next.id]).toEqual([80 * drafts.length, head.id + drafts.length]);
    const receipts = link.receipts(0, drafts.length);
    expect(receipts.of(drafts.length - 1)).toEqual({
      id: next.id,
      hash: Buffer.from(next.hash).toString('hex'),
    });
    for (const { n, refused, ...kind } of tallies) {
      const counted = drafts.filter((draft) =>
        Object.entries(kind).every(([name, value]) => Reflect.get(draft, name) === value),
      );
      const refusals = counted.filter(({ metadata }) => metadata !== '{}').length;
      expect([n, refused]).toEqual([counted.length - refusals, refusals]);
    }
    expect(tallies.reduce((sum, { n, refused }) => sum + n + refused, 0)).toBe(drafts.length);
  });
  fc.assert(property, { seed: 1, numRuns: 200 });
});

import { expect, test } from 'vitest';
import { openTenantSecrets, rootKey } from '../crypto/tenant-secrets.ts';
import { newTenant } from '../operations/tenants.ts';
import { tenantDraft } from '../rules/draft.ts';
import { beginLink } from './link.ts';
import type { TenantRow } from './tables.ts';

const roots = [rootKey(new Uint8Array(32))] as const;
const { head, writes } = newTenant(roots, { name: 'acme' }, Date.now());
const author = { actor: 'operator', ipAddress: null };

test.each([
  ['2,000 entries', 1_999, '{}'],
  ['512 KiB of texts', 13, 'x'.repeat(40_000)],
])('a link is full with %s', (_, most, metadata) => {
  const secrets = openTenantSecrets(roots, writes[0]?.row as TenantRow);
  const link = beginLink(secrets, new Map(), head, head.created_at, 0n);
  const add = (nth: number) =>
    link.add({ ...author, actor: `${nth}` }, { ...tenantDraft('tenant.update', {}), metadata });
  for (let nth = 0; nth < most; nth++) add(nth);
  expect(link.isFull()).toBe(false);
  add(most);
  expect(link.isFull()).toBe(true);
});

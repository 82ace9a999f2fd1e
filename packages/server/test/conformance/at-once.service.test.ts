import { expect, test } from 'vitest';
import type { Answer } from '@eaas/test-kit/api';
import { type AuditEntry, newDek, newTenant, ok, type Tenant, wrapped } from '@eaas/test-kit/fixture';

async function amid(
  work: () => Promise<Answer>,
  change: () => Promise<Answer>,
): Promise<{ statuses: Set<number>; after: Answer[] }> {
  const answers: Answer[] = [];
  const changed = new AbortController();
  const workers = Array.from({ length: 16 }, async () => {
    while (!changed.signal.aborted) answers.push(await work());
  });
  await expect.poll(() => answers.length, { interval: 1 }).toBeGreaterThanOrEqual(100);
  ok(await change());
  const after = await Promise.all(Array.from({ length: 50 }, work));
  changed.abort();
  await Promise.all(workers);
  return { statuses: new Set(answers.map((answer) => answer.status)), after };
}

async function allEntries(tenant: Tenant): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  const total = await tenant.auditTotal();
  for (let offset = 0; offset < total; offset += 100) {
    entries.push(...(await tenant.entries(`limit=100&offset=${offset}`)));
  }
  return entries.toReversed();
}

test('if a key is disabled while wraps run, the log has no wrap after the entry `key.disable`', async () => {
  const tenant = await newTenant();
  const { key_id } = await tenant.newKey();
  const { statuses, after } = await amid(
    () => tenant.api.post(`/v1/keys/${key_id}/wrap`, { dek: newDek() }),
    () => tenant.api.post(`/v1/keys/${key_id}/disable`),
  );
  expect(statuses).toStrictEqual(new Set([200, 409]));
  for (const answer of after) expect(answer).toBeProblem('key_state');
  const actions = (await allEntries(tenant)).map((entry) => entry.action);
  expect(actions.lastIndexOf('key.wrap')).toBeLessThan(actions.indexOf('key.disable'));
});

test('if a key is rotated while wraps run, all wraps after the rotation use the new version', async () => {
  const tenant = await newTenant();
  const { key_id } = await tenant.newKey();
  const { statuses, after } = await amid(
    () => tenant.api.post(`/v1/keys/${key_id}/wrap`, { dek: newDek() }),
    () => tenant.api.post(`/v1/keys/${key_id}/rotate`),
  );
  expect(statuses).toStrictEqual(new Set([200]));
  for (const answer of after) expect(answer.body).toMatchObject({ key_version: 2 });
  const entries = await allEntries(tenant);
  const rotated = entries.findIndex((entry) => entry.action === 'key.rotate');
  const later = entries.slice(rotated + 1).map((entry) => entry.key_version);
  expect(new Set(later)).toStrictEqual(new Set([2]));
});

test('if an API key is revoked while it unwraps, the log has no unwrap after the revocation', async () => {
  const tenant = await newTenant();
  const { key_id } = await tenant.newKey();
  const wrapped_key = await wrapped(tenant.api, key_id);
  const { record, api } = await tenant.issue({ permissions: ['decrypt'] });
  const { statuses, after } = await amid(
    () => api.post(`/v1/keys/${key_id}/unwrap`, { wrapped_key }),
    () => tenant.api.delete(`/v1/api-keys/${record.api_key_id}`),
  );
  expect(statuses).toStrictEqual(new Set([200, 401]));
  for (const answer of after) expect(answer).toBeProblem('unauthorized');
  const entries = await allEntries(tenant);
  const revoked = entries.findIndex((entry) => entry.action === 'api_key.revoke');
  expect(entries.slice(revoked).filter((entry) => entry.actor === record.api_key_id)).toStrictEqual([]);
});

test('if a version is closed while its data keys are unwrapped, the log has no unwrap after that', async () => {
  const tenant = await newTenant();
  const { key_id } = await tenant.newKey();
  const wrapped_key = await wrapped(tenant.api, key_id);
  ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
  const { statuses, after } = await amid(
    () => tenant.api.post(`/v1/keys/${key_id}/unwrap`, { wrapped_key }),
    () => tenant.api.put(`/v1/keys/${key_id}/min-version`, { key_version: 2 }),
  );
  expect(statuses).toStrictEqual(new Set([200, 409]));
  for (const answer of after) expect(answer).toBeProblem('key_state');
  const entries = await allEntries(tenant);
  const closed = entries.findIndex((entry) => entry.action === 'key.min_version');
  const later = entries.slice(closed + 1).map(({ metadata }) => metadata['outcome']);
  expect(new Set(later)).toStrictEqual(new Set(['refused']));
});

test('if a tenant becomes envelope-only during encrypt calls, the log has no `encrypt` entry after the change', async () => {
  const tenant = await newTenant();
  const { key_id } = await tenant.newKey();
  const { statuses, after } = await amid(
    () => tenant.api.post('/v1/encrypt', { key_id, plaintext: 'x' }),
    async () => {
      await tenant.set('--envelope-only', 'true');
      return tenant.api.get('/v1/keys');
    },
  );
  expect(statuses).toStrictEqual(new Set([200, 403]));
  for (const answer of after) expect(answer).toBeProblem('envelope_only');
  const actions = (await allEntries(tenant)).map((entry) => entry.action);
  expect(actions.lastIndexOf('encrypt')).toBeLessThan(actions.indexOf('tenant.update'));
  expect(actions.indexOf('envelope_only.refused')).toBeGreaterThan(actions.indexOf('tenant.update'));
});

test('the audit log contains a change when the response to the change arrives', async () => {
  const tenant = await newTenant();
  for (let round = 0; round < 20; round++) {
    const { key_id } = await tenant.newKey();
    expect((await tenant.entries('limit=1'))[0]).toMatchObject({ action: 'key.create', key_id });
  }
  expect(ok(await tenant.api.get('/v1/audit/verify'))).toMatchObject({ valid: true, checked: 21 });
});

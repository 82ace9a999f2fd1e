import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { updateTenant } from '../../src/operator/tenants.ts';
import { type Answer, call, type Place, send } from '@eaas/test-kit/faults/client';
import { newDek, tally } from '@eaas/test-kit/faults/load';
import { type Entry, newKey, readLog, startPair, type Tenant, verify } from '@eaas/test-kit/faults/place';

const pair = await closing(startPair(), (it) => it.end());
const [a, b] = pair.replicas;

type Request = (place: Place) => Promise<Answer>;

interface Race {
  readonly before: readonly Answer[];
  readonly after: readonly Answer[];
}

async function race(request: Request, change: () => Promise<unknown>): Promise<Race> {
  const answers = [a, b].map((): Answer[] => []);
  const done = new AbortController();
  const workers = [a, b].flatMap((place, nth) =>
    Array.from({ length: 4 }, async () => {
      while (!done.signal.aborted) answers[nth]?.push(await request(place));
    }),
  );
  const each = async (enough: (answers: readonly Answer[]) => boolean): Promise<void> => {
    while (!answers.every(enough)) await sleep(5);
  };
  await each(({ length }) => length >= 12);
  const changedAt = performance.now();
  await change();
  const acknowledgedAt = performance.now();
  await each((some) => some.filter(({ sentAt }) => sentAt > acknowledgedAt).length >= 12);
  done.abort();
  await Promise.all(workers);
  const all = answers.flat();
  return {
    before: all.filter(({ answeredAt }) => answeredAt < changedAt),
    after: all.filter(({ sentAt }) => sentAt > acknowledgedAt),
  };
}

const kinds = (answers: readonly Answer[]): string[] => Object.keys(tally(answers)).sort();

async function entriesAfter(tenant: Tenant, action: string): Promise<Entry[]> {
  const log = await readLog(a, tenant);
  const change = log.findLastIndex((entry) => entry.action === action);
  expect(change).toBeGreaterThan(0);
  return log.slice(change + 1).filter(({ metadata }) => metadata.outcome !== 'refused');
}

function uses(token: string, keyId: string): Request {
  const post = (place: Place, path: string, body: object) => send(place, token, 'POST', `/v1/${path}`, body);
  const key_id = keyId;
  const requests: Request[] = [
    (place) => post(place, `keys/${keyId}/wrap`, { dek: newDek() }),
    (place) => post(place, 'encrypt', { plaintext: 'x', key_id }),
    (place) => post(place, 'hash', { value: 'x', key_id }),
    async (place) => onlyResult(await post(place, 'batch/wrap', { items: [{ key_id, dek: newDek() }] })),
    async (place) => onlyResult(await post(place, 'batch/hash', { items: [{ key_id, value: 'x' }] })),
  ];
  let turn = 0;
  return (place) => requests[turn++ % requests.length]?.(place) ?? Promise.reject(new Error('none'));
}

function onlyResult(answer: Answer): Answer {
  const [result] = (answer.body['results'] ?? []) as { error?: { status: number; code: string } }[];
  return { ...answer, ...result?.error };
}

async function settle() {
  const tenant = await pair.operator.newTenant();
  return { tenant, keyId: await newKey(a, tenant.token) };
}

async function newApiKey(tenant: Tenant, fields: object): Promise<{ api_key: string; api_key_id: string }> {
  return call(a, tenant.token, 'POST', '/v1/api-keys', {
    name: 'other',
    permissions: ['encrypt'],
    ...fields,
  });
}

interface Case {
  readonly request: Request;
  readonly change: () => Promise<unknown>;
  /** The answers after the change was acknowledged. Before it, all calls succeed. */
  readonly refusal: string;
  readonly action: string;
}

type Made = (tenant: Tenant, keyId: string) => Promise<Case>;

/** Makes an API key, which `change` then changes or revokes. */
const ofApiKey =
  (refusal: string, action: string, change: (tenant: Tenant, path: string) => Promise<unknown>): Made =>
  async (tenant, keyId) => {
    const { api_key, api_key_id } = await newApiKey(tenant, {});
    const path = `/v1/api-keys/${api_key_id}`;
    return { request: uses(api_key, keyId), change: () => change(tenant, path), refusal, action };
  };

/** Changes a key while its data key is unwrapped. */
const ofUnwrap =
  (refusal: string, action: string, change: (tenant: Tenant, path: string) => Promise<unknown>): Made =>
  async (tenant, keyId) => {
    const path = `/v1/keys/${keyId}`;
    const body = { dek: newDek(), subject: 'ann' };
    const { wrapped_key } = await call(a, tenant.token, 'POST', `${path}/wrap`, body);
    await call(b, tenant.token, 'POST', `${path}/rotate`);
    await call(a, tenant.token, 'POST', `${path}/disable`);
    const request: Request = (place) =>
      send(place, tenant.token, 'POST', `${path}/unwrap`, { wrapped_key, subject: 'ann' });
    return { request, change: () => change(tenant, path), refusal, action };
  };

const cases: Readonly<Record<string, Made>> = {
  'a revoked API key': ofApiKey('401 unauthorized', 'api_key.revoke', ({ token }, path) =>
    call(a, token, 'DELETE', path),
  ),
  'an API key without the permission': ofApiKey(
    '403 permission_missing',
    'api_key.update',
    ({ token }, path) => call(a, token, 'PATCH', path, { permissions: ['decrypt'] }),
  ),
  'an API key that may not use the key any more': ofApiKey(
    '404 not_found',
    'api_key.update',
    async ({ token }, path) => call(b, token, 'PATCH', path, { key_ids: [await newKey(a, token)] }),
  ),
  'the data key of an erased person': ofUnwrap('409 subject_erased', 'subject.erase', ({ token }) =>
    call(b, token, 'POST', '/v1/subjects/erase', { subject: 'ann' }),
  ),
  'the data key of a destroyed key': ofUnwrap('409 key_state', 'key.destroy', ({ token }, path) =>
    call(b, token, 'DELETE', `${path}?grace_days=0`),
  ),
  'the data key of a closed version': ofUnwrap(
    '409 key_state',
    'key.min_version',
    async ({ token }, path) => {
      await call(a, token, 'POST', `${path}/enable`);
      return call(b, token, 'PUT', `${path}/min-version`, { key_version: 2 });
    },
  ),
  'server mode of a tenant that became envelope-only': async (tenant, key_id) => {
    const { token, tenantId } = tenant;
    const bundle = await call<object>(a, token, 'POST', '/v1/encrypt', { plaintext: 'x', key_id });
    let turn = 0;
    const request: Request = (place) =>
      turn++ % 2 === 0
        ? send(place, token, 'POST', '/v1/encrypt', { plaintext: 'x', key_id })
        : send(place, token, 'POST', '/v1/decrypt', bundle);
    const change = () => updateTenant(pair.operator.service, tenantId, { envelope_only: true });
    return { request, change, refusal: '403 envelope_only', action: 'tenant.update' };
  },
  'encrypt calls beyond a quota that was lowered': async ({ token, tenantId }, key_id) => {
    const request: Request = (place) => send(place, token, 'POST', '/v1/encrypt', { plaintext: 'x', key_id });
    const change = () => updateTenant(pair.operator.service, tenantId, { monthly_encrypt_quota: 1 });
    return { request, change, refusal: '429 quota_exceeded', action: 'tenant.update' };
  },
};

test.each(Object.entries(cases))(
  'after the change, both replicas refuse %s, and the log has no success',
  async (_, make) => {
    const { tenant, keyId } = await settle();
    const { request, change, refusal, action } = await make(tenant, keyId);
    const { before, after } = await race(request, change);
    expect(kinds(before)).toEqual(['200']);
    expect(kinds(after)).toEqual([refusal]);
    expect(await entriesAfter(tenant, action)).toEqual([]);
  },
);

test('disabling or enabling a key takes effect on both replicas immediately, also for reads', async () => {
  const { tenant, keyId } = await settle();
  const path = `/v1/keys/${keyId}`;
  const statusOn = async (place: Place) => (await send(place, tenant.token, 'GET', path)).body['status'];
  for (let round = 0; round < 3; round++) {
    const disabled = await race(uses(tenant.token, keyId), () =>
      call(a, tenant.token, 'POST', `${path}/disable`),
    );
    expect(kinds(disabled.before)).toEqual(['200']);
    expect(kinds(disabled.after)).toEqual(['409 key_state']);
    expect(await entriesAfter(tenant, 'key.disable')).toEqual([]);
    expect([await statusOn(b), await statusOn(a)]).toEqual(['disabled', 'disabled']);
    const enabled = await race(uses(tenant.token, keyId), () =>
      call(b, tenant.token, 'POST', `${path}/enable`),
    );
    expect(kinds(enabled.before)).toEqual(['409 key_state']);
    expect(kinds(enabled.after)).toEqual(['200']);
    expect([await statusOn(a), await statusOn(b)]).toEqual(['active', 'active']);
  }
  expect(await verify(a, tenant)).toMatchObject({ valid: true });
});

test('an API key is refused from the moment it expires', async () => {
  const { tenant, keyId } = await settle();
  const { api_key, api_key_id } = await newApiKey(tenant, {});
  let expires_at = '';
  // The test sets the expiry only after requests have started, so that the first request arrives before the expiry.
  const expire = async (): Promise<void> => {
    const expiresAt = Date.now() + 2_000;
    expires_at = new Date(expiresAt).toISOString();
    await call(a, tenant.token, 'PATCH', `/v1/api-keys/${api_key_id}`, { expires_at });
    await sleep(expiresAt - Date.now() + 2);
  };
  const { before, after } = await race(uses(api_key, keyId), expire);
  expect(kinds(before)).toEqual(['200']);
  expect(kinds(after)).toEqual(['401 unauthorized']);
  const late = (await readLog(a, tenant)).filter(
    ({ actor, created_at }) => actor === api_key_id && created_at >= expires_at,
  );
  expect(late).toEqual([]);
});

test('a wrap after an acknowledged rotation uses the new version', async () => {
  const { tenant, keyId } = await settle();
  const request: Request = (place) =>
    send(place, tenant.token, 'POST', `/v1/keys/${keyId}/wrap`, { dek: newDek() });
  for (const version of [2, 3, 4]) {
    const rotate = () => call(version % 2 ? a : b, tenant.token, 'POST', `/v1/keys/${keyId}/rotate`);
    const { before, after } = await race(request, rotate);
    expect(new Set(before.map(({ body }) => body['key_version']))).toEqual(new Set([version - 1]));
    expect(new Set(after.map(({ body }) => body['key_version']))).toEqual(new Set([version]));
    const entries = await entriesAfter(tenant, 'key.rotate');
    expect(new Set(entries.map(({ key_version }) => key_version))).toEqual(new Set([version]));
  }
});

test('exactly 40 of 200 concurrent encrypt calls succeed under a quota of 40', async () => {
  const tenant = await pair.operator.newTenant({ monthly_encrypt_quota: 40 });
  const keyId = await newKey(a, tenant.token);
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, nth) =>
      send(nth % 2 ? a : b, tenant.token, 'POST', '/v1/encrypt', { plaintext: 'x', key_id: keyId }),
    ),
  );
  expect(tally(answers)).toEqual({ '200': 40, '429 quota_exceeded': 160 });
  const log = await readLog(b, tenant);
  expect(log.filter(({ action }) => action === 'encrypt').length).toBe(40);
});

// No list of the API has more than 4 MiB, whatever a tenant has stored: the answers of many requests at once stay in memory.
import { endpoints, limits, type Route } from '@eaas/protocol/wire';
import * as z from 'zod/mini';
import { expect, test } from 'vitest';
import { newDek, newTenant, ok, uniqueName } from '@eaas/test-kit/fixture';
import { jwkOfBits } from '@eaas/test-kit/rsa';

const most = 4 * 1024 * 1024;
const tenant = await newTenant();
const { api } = tenant;
const list = <T>(length: number, of: (nth: number) => T): T[] => Array.from({ length }, (_, nth) => of(nth));

const name = (nth: number) => `${1_000 + nth}${'😀'.repeat(124)}`;
const policy = { exportable: true, rotation_policy: { interval_days: 3_650 } };
const keyIds: string[] = [];
for (let nth = 0; nth < limits.keyIds; nth++) {
  keyIds.push((await tenant.newKey({ name: name(nth), ...policy })).key_id);
}
const [key_id = ''] = keyIds;
for (let nth = 0; nth < 3; nth++) ok(await api.post(`/v1/keys/${key_id}/rotate`));
const subjects = list(4, () => ({ key_id, dek: newDek(), subject: crypto.randomUUID() }));
ok(await api.post('/v1/batch/wrap', { items: subjects }));

const labels = `.${'a'.repeat(60)}`.repeat(4);

/** Makes what both API keys and issuers can have, two times: a change has the old and the new value. */
const fieldsOf = (nth: number) => ({
  name: name(nth),
  key_ids: nth === 0 ? keyIds : keyIds.toReversed(),
  allowed_origins: list(limits.allowedOrigins, (one) => `https://${100 + 50 * nth + one}${labels}`),
  permissions: ['encrypt', 'decrypt'],
  expires_at: `209${nth}-12-31T23:59:59.999Z`,
});
const texts = (count: number, length: number) => list(count, (nth) => `${100 + nth}`.padEnd(length, '"'));
const issuerOf = (nth: number) => ({
  ...fieldsOf(nth),
  issuer: '"'.repeat(limits.issuerText),
  audience: '"'.repeat(limits.issuerText),
  subject_claim: '"'.repeat(limits.issuerText),
  jwks: { keys: list(4, () => jwkOfBits(4_096)) },
  authorized_parties: texts(16, limits.issuerText),
  require: { [uniqueName('claim')]: texts(20, limits.issuerText) },
  max_age_seconds: limits.tokenAge,
});

ok(await api.post('/v1/api-keys', fieldsOf(0)));
const { issuer_id } = ok(await api.post('/v1/issuers', issuerOf(0)));
const { issuer: _, audience: __, subject_claim: ___, ...changed } = issuerOf(1);
ok(await api.patch(`/v1/issuers/${issuer_id}`, changed));

interface List {
  readonly ask: () => Promise<{ readonly text: string; readonly body: object }>;
  /** How many items each list of the answer has at most. */
  readonly most: Readonly<Record<string, number>>;
}

const page = limits.pageMaximum;
const lists: Partial<Record<Route, List>> = {
  'GET /v1/keys': { ask: () => api.get('/v1/keys?limit=4'), most: { keys: page } },
  'GET /v1/keys/:key_id': {
    ask: () => api.get(`/v1/keys/${key_id}`),
    most: { versions: limits.versionsMaximum },
  },
  'POST /v1/keys/:key_id/export': {
    ask: () => api.post(`/v1/keys/${key_id}/export`, { public_key: jwkOfBits(8_192), subjects: true }),
    most: { versions: limits.versionsMaximum, subjects: limits.exportedSubjects },
  },
  'GET /v1/audit': { ask: () => api.get('/v1/audit?limit=1'), most: { logs: page } },
  'GET /v1/api-keys': { ask: () => api.get('/v1/api-keys?limit=1'), most: { api_keys: page } },
  'GET /v1/issuers': { ask: () => api.get('/v1/issuers'), most: { issuers: page } },
};

test.each(Object.entries(lists))('%s', async (_, { ask, most: items }) => {
  const { text, body } = await ask();
  let bytes = Buffer.byteLength(text);
  for (const [member, count] of Object.entries(items)) {
    const found = Reflect.get(body, member) as readonly object[];
    expect(found.length).toBeGreaterThan(0);
    const size = Buffer.byteLength(JSON.stringify(found)) / found.length;
    bytes += size * (count - found.length);
  }
  expect(bytes).toBeLessThan(most);
});

/** Batches have no more items than their requests, and no tenant can fill the errors of a verification. */
const bounded = /batch|verify/;

test('all lists of the API are tested', () => {
  const isList = ({ type, items }: { type?: string; items?: { type?: string } }) =>
    type === 'array' && items?.type === 'object';
  const routes = Object.entries(endpoints).flatMap(([route, { output }]) => {
    const { properties = {} } = z.toJSONSchema(output, { unrepresentable: 'any' });
    return Object.values(properties).some((each) => isList(each as object)) ? [route] : [];
  });
  expect(routes.filter((route) => !bounded.test(route)).toSorted()).toEqual(Object.keys(lists).toSorted());
});

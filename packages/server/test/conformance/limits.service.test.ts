// The limits of the contract, each at both of its edges: what has its size is taken, and what has one more is refused.
import { existsSync } from 'node:fs';
import { limits } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { type Answer, asJson } from '@eaas/test-kit/api';
import { newIssuer } from '@eaas/test-kit/calls';
import { clientOf, keyIn, newDek, newTenant, ok, uniqueName, unknownId } from '@eaas/test-kit/fixture';
import { newSignIn } from '@eaas/test-kit/sign-in';

type Limit = keyof typeof limits;
type Send = (size: number) => Promise<Answer>;

const tenant = await newTenant();
const { api } = tenant;
const { key_id } = await tenant.newKey();
const list = <T>(length: number, of: (nth: number) => T): T[] => Array.from({ length }, (_, nth) => of(nth));
const text = (size: number): string => 'x'.repeat(size);

const hash = (value: string) => api.post('/v1/hash', { key_id, value });
const wrap = (fields: object) => api.post(`/v1/keys/${key_id}/wrap`, { dek: newDek(), ...fields });
const batch = (size: number, fields: object = {}) =>
  api.post('/v1/batch/hash', { items: list(size, () => ({ key_id, value: 'x', ...fields })) });
const apiKey = (fields: object) =>
  api.post('/v1/api-keys', { name: uniqueName('limited'), permissions: ['encrypt'], ...fields });

const atSignIn = await newTenant();
const theirKey = (await atSignIn.newKey()).key_id;
/** An issuer, removed again, because a tenant has few. */
async function issuer(fields: object): Promise<Answer> {
  const answer = await atSignIn.api.post('/v1/issuers', { ...newIssuer(theirKey), ...fields });
  const { issuer_id } = answer.body as { issuer_id?: string };
  if (issuer_id !== undefined) ok(await atSignIn.api.delete(`/v1/issuers/${issuer_id}`));
  return answer;
}
const { jwks } = newIssuer(theirKey);
const {
  keys: [publicKey],
} = jwks;

const signIn = newSignIn();
const users = { ...newIssuer(key_id), jwks: { keys: [signIn.jwk] } };
const { issuer_id } = ok(await api.post('/v1/issuers', users));
/** A user's token with so many characters: base64url has no text whose length is 1 over a multiple of 4. */
function tokenOf(size: number): string {
  for (let nth = 0; nth < 4; nth++) {
    const made = (pad: number) => signIn.token('ann', { pad: text(pad) }, { pad: text(nth) });
    const pad = Math.floor((size - made(0).length) * 0.75);
    const token = [pad - 1, pad, pad + 1].map(made).find(({ length }) => length === size);
    if (token !== undefined) return token;
  }
  throw new Error(`no token has ${size} characters`);
}

/** Sizes of what every call takes. */
const taken: Partial<Record<Limit, Send>> = {
  text: (size) => hash(`é${text(size - 2)}`),
  keyName: (size) => api.post('/v1/keys', { name: uniqueName('k').padEnd(size, 'x') }),
  reference: (size) => batch(1, { reference: `é${text(size - 2)}` }),
  subject: (size) => wrap({ subject: text(size) }),
  batchItems: (size) => batch(size),
  body: (size) => api.send('POST', '/v1/hash', JSON.stringify({ key_id, value: 'x' }).padEnd(size), asJson),
  async graceDays(size) {
    const key = await keyIn(tenant, 'disabled');
    return api.delete(`/v1/keys/${key.key_id}?grace_days=${size}`);
  },
  rotationDays: (size) => api.put(`/v1/keys/${key_id}/rotation-policy`, { interval_days: size }),
  allowedOrigins: (size) => apiKey({ allowed_origins: list(size, (nth) => `https://o${nth}.example`) }),
  origin: (size) =>
    apiKey({ allowed_origins: [`https://${'a.'.repeat((size - 10) / 2)}${text(2 + (size % 2))}`] }),
  issuerKeys: (size) => issuer({ jwks: { keys: list(size, (nth) => ({ ...publicKey, kid: `k${nth}` })) } }),
  issuerText: (size) => issuer({ issuer: text(size) }),
  requiredClaims: (size) => issuer({ require: Object.fromEntries(list(size, (nth) => [`c${nth}`, ['x']])) }),
  requiredValues: (size) => issuer({ require: { claim: list(size, (nth) => `v${nth}`) } }),
  tokenAge: (size) => issuer({ max_age_seconds: size }),
  async token(size) {
    const ann = await clientOf(tokenOf(size), { 'eaas-issuer': issuer_id });
    return ann.post(`/v1/keys/${key_id}/wrap`, { dek: newDek(), subject: 'ann' });
  },
  issuerTrust: (size) => issuer({ require: padded(size - JSON.stringify(jwks).length) }),
};

/** Claims whose JSON has so many bytes. */
function padded(bytes: number): object {
  const claims: Record<string, string[]> = { a: list(60, (nth) => `${nth}`.padEnd(200, 'x')), z: [''] };
  const missing = bytes - JSON.stringify(claims).length;
  claims['z'] = list(Math.ceil(missing / 200), (nth) => `${nth}`.padEnd(197, 'x'));
  const over = JSON.stringify(claims).length - bytes;
  claims['z'][0] = (claims['z'][0] ?? '').slice(0, 197 - over);
  return claims;
}

test.each(Object.entries(taken))('%s', async (name, ask) => {
  const most = limits[name as Limit];
  const edge = await ask(most);
  expect(edge.text).not.toContain('"error"');
  ok(edge);
  const refused = await ask(most + 1);
  expect([refused.status >= 400, refused.text.includes('"error"')]).toContain(true);
});

/** Sizes that a call names in its refusal. What has the right size is refused for something else. */
const named: Partial<Record<Limit, readonly [Send, says: RegExp]>> = {
  keyIds: [(size) => apiKey({ key_ids: list(size, unknownId) }), /1 to 256/],
  keySetUri: [
    (size) => issuer({ jwks: undefined, jwks_uri: 'https://a.example/'.padEnd(size, 'x') }),
    /at most 1024 bytes/,
  ],
};

test.each(Object.entries(named))('%s', async (name, [ask, says]) => {
  const most = limits[name as Limit];
  expect((await ask(most)).text).not.toMatch(says);
  const refused = await ask(most + 1);
  expect(refused.status).toBe(400);
  expect(refused.text).toMatch(says);
});

test('a PATCH of an issuer counts the bytes of what it leaves unchanged', async () => {
  const require = padded(limits.issuerTrust - JSON.stringify(jwks).length);
  const made = await atSignIn.api.post('/v1/issuers', { ...newIssuer(theirKey), require });
  const longer = { jwks: { keys: [{ ...publicKey, kid: 'a' }] } };
  const answer = await atSignIn.api.patch(`/v1/issuers/${ok(made).issuer_id}`, longer);
  expect(answer).toBeProblem('bad_request', /jwks/);
});

test('issuers that are not revoked', async () => {
  const other = await newTenant();
  const key = (await other.newKey()).key_id;
  const add = () => other.api.post('/v1/issuers', newIssuer(key));
  const { issuer_id: first } = ok(await add());
  for (let nth = 1; nth < limits.issuers; nth++) ok(await add());
  expect(await add()).toBeProblem('conflict', /32/);
  ok(await other.api.delete(`/v1/issuers/${first}`));
  expect(await add()).toHaveStatus(201);
});

/** Where the other limits meet both of their edges, and what is no limit of a request. */
const elsewhere: Partial<Record<Limit, string>> = {
  apiKeys: 'packages/service/src/operations/api-keys.test.ts',
  keyVersions: 'packages/service/src/rules/rules.test.ts',
  versionsMaximum: 'packages/service/src/operations/paging.test.ts',
  versionsDefault: 'packages/server/test/conformance/keys.service.test.ts',
  pageMaximum: 'packages/server/test/conformance/audit-list.service.test.ts',
  pageDefault: 'packages/server/test/conformance/audit-list.service.test.ts',
  countedEntries: 'packages/server/test/conformance/audit-list.service.test.ts',
  exportedSubjects: 'packages/server/test/conformance/export.service.test.ts',
  graceDaysDefault: 'packages/service/src/rules/rules.test.ts',
  jsonDepth: 'packages/protocol/src/wire/json.test.ts',
  jsonMembers: 'packages/protocol/src/wire/json.test.ts',
  jsonNames: 'packages/protocol/src/wire/json.test.ts',
  jsonValues: 'packages/protocol/src/wire/json-batch.test.ts',
  keySet: 'packages/server/src/plugins/key-hosts.test.ts',
  metadata: 'packages/service/src/rules/rules.test.ts',
};

test('every limit is tested', () => {
  const found = [...Object.keys(taken), ...Object.keys(named), 'issuers', ...Object.keys(elsewhere)];
  expect(found.toSorted()).toEqual(Object.keys(limits).toSorted());
  expect(Object.values(elsewhere).filter((path) => !existsSync(path))).toEqual([]);
});

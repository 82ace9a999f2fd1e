import { beforeAll, describe, expect, test } from 'vitest';
import { type Answer, asJson, type Client } from './client.ts';
import { covers } from './covers.ts';
import { clientOf, type KeyRecord, keyIn, newTenant, ok, type Tenant, unknownId } from './fixture.ts';
import { anyProblemDocument } from './matchers.ts';
import { uuidPattern } from './shapes.ts';

let tenant: Tenant;
let closed: Tenant;
let key: KeyRecord;
let anonymous: Client;

beforeAll(async () => {
  tenant = await newTenant('--monthly-encrypt-quota', '0');
  closed = await newTenant('--envelope-only', 'true');
  key = await tenant.newKey();
  anonymous = await clientOf();
});

const reader = async () => (await tenant.issue({ permissions: ['keys.read'] })).api;
const plaintext = 'the-secret-plaintext-of-this-test';

/** One refusal of each kind that a caller can bring about, with secrets in it that no answer may repeat. */
const refusals: [string, () => Promise<Answer>][] = [
  [
    'bad_request',
    () => tenant.api.post('/v1/encrypt', { plaintext, key_id: key.key_id, context: plaintext }),
  ],
  ['unauthorized', () => anonymous.get('/v1/keys')],
  ['permission_missing', async () => (await reader()).post('/v1/encrypt', { plaintext, key_id: key.key_id })],
  ['origin_refused', () => tenant.api.get('/v1/keys', { headers: { origin: 'https://evil.example' } })],
  ['envelope_only', () => closed.api.post('/v1/encrypt', { plaintext, key_id: key.key_id })],
  [
    'wrapped_key_unauthentic',
    () =>
      tenant.api.post(`/v1/keys/${key.key_id}/unwrap`, { wrapped_key: 'AAAA', context: { a: plaintext } }),
  ],
  ['not_found', () => tenant.api.post('/v1/encrypt', { plaintext, key_id: unknownId() })],
  ['method_not_allowed', () => tenant.api.put('/v1/encrypt', { plaintext })],
  ['name_taken', () => tenant.api.post('/v1/keys', { name: key.name })],
  [
    'key_state',
    async () =>
      tenant.api.post('/v1/encrypt', { plaintext, key_id: (await keyIn(tenant, 'disabled')).key_id }),
  ],
  ['conflict', () => tenant.api.delete(`/v1/api-keys/${tenant.apiKeyId}`)],
  ['too_large', () => tenant.api.send('POST', '/v1/encrypt', plaintext.repeat(70_000), asJson)],
  ['unsupported_media_type', () => tenant.api.send('POST', '/v1/encrypt', plaintext)],
  [
    'decryption_failed',
    () => tenant.api.post('/v1/decrypt', { ciphertext: 'AAAA', key_id: key.key_id, key_version: 1 }),
  ],
  ['quota_exceeded', () => tenant.api.post('/v1/encrypt', { plaintext, key_id: key.key_id })],
];

describe('every refusal', () => {
  test.for(refusals)(
    'is a problem document, without secrets: %s',
    covers(
      'interface: All errors are problem documents (type is about:blank).',
      'interface: Error body: a problem document (application/problem+json) with type, title, status, detail.',
      'interface: 409 Conflict: operation refused by key state',
      'interface: 403 Forbidden: missing permission',
      'contract: Problem documents: `Content-Type: application/problem+json`; type, title as in the interface (plain "Forbidden" for every 403), status, detail and code.',
      'contract: `detail` says what to do next and never holds key material, plaintext, a token or SQL.',
    ),
    async ([code, refused]) => {
      const answer = await refused();
      expect(answer).toMatchObject({ body: { code, type: 'about:blank' } });
      expect(anyProblemDocument(answer)).toBe(true);
      expect(Object.keys(Object(answer.body)).toSorted()).toStrictEqual([
        'code',
        'detail',
        'status',
        'title',
        'type',
      ]);
      expect(answer.text).not.toContain(plaintext);
      expect(answer.text).not.toMatch(
        /eaas_sk_[0-9A-Za-z]|select |insert |update |postgres|at .*\.ts:|node_modules/i,
      );
    },
  );
});

describe('X-Request-Id', () => {
  test(
    'is on every answer, made by the server, and never twice the same',
    covers('contract: Every answer carries `X-Request-Id`, always made by the server.'),
    async () => {
      const mine = 'ffffffff-ffff-4fff-8fff-ffffffffffff';
      const headers = { 'x-request-id': mine, 'request-id': mine };
      const preflight = { ...headers, origin: 'https://app.example', 'access-control-request-method': 'GET' };
      const answers = await Promise.all([
        tenant.api.get('/v1/keys', { headers }),
        tenant.api.get('/v1/keys', { headers }),
        anonymous.get('/v1/keys', { headers }),
        anonymous.get('/v1/nothing', { headers }),
        anonymous.send('PUT', '/v1/encrypt', undefined, headers),
        anonymous.send('OPTIONS', '/v1/keys', undefined, preflight),
        anonymous.get('/healthz', { headers }),
        anonymous.get('/readyz', { headers }),
        anonymous.get('/metrics', { headers }),
        anonymous.get('/openapi.json', { headers }),
        anonymous.get('/docs', { headers }),
      ]);
      const ids = answers.map((answer) => answer.headers.get('x-request-id') ?? '');
      expect(ids).not.toContain(mine);
      expect(ids.filter((id) => id.length < 16)).toStrictEqual([]);
      expect(new Set(ids).size).toBe(answers.length);
      const refused = await Promise.all(refusals.map(([, refuse]) => refuse()));
      expect(refused.filter((answer) => !answer.headers.has('x-request-id'))).toStrictEqual([]);
    },
  );
});

test(
  'a detail names the field that is wrong and not its value',
  covers('contract: `detail` says what to do next and never holds key material, plaintext, a token or SQL.'),
  async () => {
    const dek = Buffer.from(plaintext).toString('base64');
    const wrong = await tenant.api.post(`/v1/keys/${key.key_id}/wrap`, { dek });
    expect(wrong).toBeProblem('bad_request', /dek/);
    expect(wrong.text).not.toContain(dek);
    const token = tenant.api.token ?? '';
    const named = await tenant.api.post('/v1/hash', { key_id: token, value: plaintext });
    expect(named).toBeProblem('not_found');
    expect(named.text).not.toContain(token);
  },
);

test(
  'ids in answers are UUIDs in lower case',
  covers(
    'contract: UUIDs: lower case on output, any case on input, 36 characters with hyphens and no other spelling.',
  ),
  async () => {
    const { keys } = ok(await tenant.api.get('/v1/keys'));
    for (const { key_id } of keys) expect(key_id).toMatch(uuidPattern);
    expect(tenant.tenant_id).toMatch(uuidPattern);
    expect(tenant.apiKeyId).toMatch(uuidPattern);
  },
);

import { describe, expect, test } from 'vitest';
import { asJson, parseRaw, rawExchange } from '@eaas/test-kit/api';
import {
  clientOf,
  expectNothingRecorded,
  keyIn,
  newDek,
  newTenant,
  target,
  unknownId,
} from '@eaas/test-kit/fixture';

const tenant = await newTenant('--monthly-encrypt-quota', '0');
const closed = await newTenant('--envelope-only', 'true');
const key = await tenant.newKey();
const anonymous = await clientOf();

const foreign = { headers: { origin: 'https://evil.example' } };
const huge = '{'.repeat(3 * 1024 * 1024);

describe('the earlier of two failing checks decides the response', () => {
  test('the path and method (404, 405) are checked before the API key (401)', async () => {
    expect(await anonymous.post('/v1/nothing', {}, foreign)).toBeProblem('not_found');
    expect(await anonymous.put('/v1/encrypt', {}, foreign)).toBeProblem('method_not_allowed');
  });

  test('the token (401) is checked before origin, permission and tenant mode (403)', async () => {
    expect(await anonymous.get('/v1/keys', foreign)).toBeProblem('unauthorized');
    const { api } = await closed.issue({ permissions: ['keys.read'] });
    expect(await api.post('/v1/encrypt', {}, foreign)).toBeProblem('origin_refused');
    await expectNothingRecorded(closed, async () => {
      expect(await api.post('/v1/encrypt', {})).toBeProblem('permission_missing');
    });
    expect(await closed.api.post('/v1/encrypt', {})).toBeProblem('envelope_only');
  });

  test('permissions (403) are checked before the body’s type (415), size (413) and content (400)', async () => {
    expect(await closed.api.send('POST', '/v1/encrypt', 'x')).toBeProblem('envelope_only');
    expect(await closed.api.send('POST', '/v1/encrypt', '{', asJson)).toBeProblem('envelope_only');
    const { api } = await tenant.issue({ permissions: ['keys.read'] });
    expect(await api.send('POST', '/v1/hash', 'x')).toBeProblem('permission_missing');
    expect(await anonymous.send('POST', '/v1/hash', '{', asJson)).toBeProblem('unauthorized');
    const limited = await tenant.issue({ key_ids: [key.key_id], permissions: ['keys.manage'] });
    for (const body of ['{', '{}', huge]) {
      expect(await limited.api.send('POST', '/v1/keys', body, asJson)).toBeProblem('permission_missing');
    }
  });

  test('the type of the body (415) is checked before size (413) and content (400)', async () => {
    const plain = { 'content-type': 'text/plain' };
    expect(await tenant.api.send('POST', '/v1/hash', huge, plain)).toBeProblem('unsupported_media_type');
    expect(await tenant.api.send('POST', '/v1/hash', huge, asJson)).toBeProblem('too_large');
  });

  test('the existence of a key (404) is checked before its state (409)', async () => {
    const { key_id } = await keyIn(tenant, 'disabled');
    const { api } = await tenant.issue({ key_ids: [key.key_id], permissions: ['encrypt', 'keys.manage'] });
    expect(await api.post(`/v1/keys/${key_id}/wrap`, { dek: newDek() })).toBeProblem('not_found');
    expect(await api.post(`/v1/keys/${key_id}/rotate`)).toBeProblem('not_found');
  });

  test('the content, the key and its state are checked before the quota (429)', async () => {
    const { key_id } = await keyIn(tenant, 'disabled');
    const encrypt = (body: object) => tenant.api.post('/v1/encrypt', { plaintext: 'x', ...body });
    expect(await encrypt({})).toBeProblem('bad_request');
    expect(await encrypt({ key_id: unknownId() })).toBeProblem('not_found');
    expect(await encrypt({ key_id })).toBeProblem('key_state');
    expect(await encrypt({ key_id: key.key_id })).toBeProblem('quota_exceeded');
  });
});

describe('the body is read only after the checks that return 403', () => {
  async function answerOf(path: string, token?: string) {
    const head = [
      `POST ${path} HTTP/1.1`,
      'Host: eaas.example',
      ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
      'Content-Type: application/json',
      'Content-Length: 1000',
      '\r\n',
    ];
    const { status, body } = parseRaw(await rawExchange((await target()).baseUrl, head.join('\r\n')));
    return [status, (body as { code: string }).code];
  }

  test('the server sends a 401, 403 or 404 response before the request body arrives', async () => {
    const reader = await tenant.issue({ permissions: ['keys.read'] });
    const limited = await tenant.issue({ key_ids: [key.key_id], permissions: ['keys.manage'] });
    expect(await answerOf('/v1/encrypt')).toEqual([401, 'unauthorized']);
    expect(await answerOf('/v1/encrypt', reader.api.token)).toEqual([403, 'permission_missing']);
    expect(await answerOf('/v1/encrypt', closed.api.token)).toEqual([403, 'envelope_only']);
    expect(await answerOf('/v1/keys', limited.api.token)).toEqual([403, 'permission_missing']);
    expect(await answerOf('/v1/nothing')).toEqual([404, 'not_found']);
  });
});

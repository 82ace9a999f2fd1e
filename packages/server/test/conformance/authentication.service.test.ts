import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Answer } from '@eaas/test-kit/api';
import {
  clientOf,
  commandLine,
  expectNothingRecorded,
  expiredClient,
  newTenant,
  ok,
} from '@eaas/test-kit/fixture';

const tenant = await newTenant();

const withHeader = async (authorization: string): Promise<Answer> =>
  (await clientOf()).get('/v1/keys', { headers: { authorization } });

function altered(token: string, at: number): string {
  return token.slice(0, at) + (token.charAt(at) === 'A' ? 'B' : 'A') + token.slice(at + 1);
}

const refused: [string, (token: string) => string][] = [
  ['an empty credential', () => 'Bearer '],
  ['another scheme', (token) => `Basic ${token}`],
  ['two credentials separated by a comma', (token) => `Bearer ${token}, Bearer ${token}`],
  ['a token with one more digit', (token) => `Bearer ${token}0`],
  ['a wrong first digit', (token) => `Bearer ${altered(token, 8)}`],
  ['32 zero bytes', () => 'Bearer eaas_sk_00000000000000000000000000000000000000000004C34ms'],
  ['the stored hash of the token', (token) => `Bearer ${createHash('sha256').update(token).digest('hex')}`],
];

test('the name of the Bearer scheme can be in upper or lower case', async () => {
  const token = tenant.api.token ?? '';
  expect(await withHeader(`Bearer ${token}`)).toHaveStatus(200);
  expect(await withHeader(`bearer ${token}`)).toHaveStatus(200);
});

test.for(refused)('an invalid credential is refused like none: %s', async ([, header]) => {
  const absent = await (await clientOf()).get('/v1/keys');
  await expectNothingRecorded(tenant, async () => {
    const answer = await withHeader(header(tenant.api.token ?? ''));
    expect(answer).toBeProblem('unauthorized');
    expect(answer.text).toBe(absent.text);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });
});

test('a 401 tells the holder of a stored API key that it was revoked or expired, and since when', async () => {
  const revoked = await tenant.issue();
  const path = `/v1/api-keys/${revoked.record.api_key_id}` as const;
  const { revoked_at } = ok(await tenant.api.delete(path));
  const expired = await expiredClient(tenant);
  const { api_keys } = ok(await tenant.api.get('/v1/api-keys?limit=1'));
  const [{ expires_at } = { expires_at: '' }] = api_keys as { expires_at: string }[];
  for (const [api, ended] of [
    [revoked.api, `was revoked at ${revoked_at}`],
    [expired, `expired at ${expires_at}`],
  ] as const) {
    const answer = await api.get('/v1/keys');
    expect(answer).toBeProblem('unauthorized');
    expect(answer.body).toMatchObject({
      detail: `This API key ${ended}: create another API key with \`eaas api-key create\` or in the console.`,
    });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  }
});

test('a token is refused as soon as its tenant was destroyed', async () => {
  const gone = await newTenant();
  await gone.newKey();
  const { code } = await commandLine('tenant', 'destroy', gone.name, '--confirm', gone.name, '--json');
  expect(code).toBe(0);
  expect(await gone.api.get('/v1/keys')).toBeProblem('unauthorized');
});

test('the server ignores a token in the query and in any header except Authorization', async () => {
  const token = tenant.api.token ?? '';
  const anonymous = await clientOf();
  expect(await anonymous.get(`/v1/keys?api_key=${token}`)).toBeProblem('unauthorized');
  expect(await anonymous.get('/v1/keys', { headers: { 'x-api-key': token } })).toBeProblem('unauthorized');
});

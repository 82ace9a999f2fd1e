import { called } from '@eaas/test-kit/called';
import { newIssuer } from '@eaas/test-kit/calls';
import { newSignIn } from '@eaas/test-kit/sign-in';
import { expect, test } from 'vitest';
import { openTenant } from '../../../test/open-tenant.ts';
import { Refusal, unreachable } from '../../rules/refusal.ts';
import { people } from '../people/index.ts';
import { issuers } from './index.ts';
import { openKeys } from './token-rules.ts';

const [signIn, other] = [newSignIn(), newSignIn()];
const right = signIn.token('ann');
const keys = 'https://keys.example/';
const forged = other.token('ann', {}, { kid: signIn.jwk.kid });
const dek = Buffer.alloc(32, 1).toString('base64');
const route = 'POST /v1/keys/:key_id/wrap';

/** A tenant whose issuer has its keys at a host: `hosts` has the key sets by their addresses. What waits waits for `turn`. */
async function world(
  hosts: Record<string, object[]> = { [keys]: [signIn.jwk] },
  { turn = async () => {}, ...more }: { turn?: () => Promise<void>; [field: string]: unknown } = {},
) {
  const verified: string[] = [];
  const plugin = () =>
    issuers({
      verify: async (token, { x }) => (verified.push(token), token !== forged && x === signIn.jwk.x),
      keysFor: async ({ jwks_uri }) => {
        await turn();
        const published = hosts[jwks_uri ?? ''];
        if (!published) throw unreachable();
        return openKeys(JSON.stringify({ keys: published }));
      },
      keyHostFault: () => undefined,
    });
  const fair = { isOver: () => false, pause: turn };
  const plugins = () => [people(), plugin()];
  const { service, start: replica, call: ask } = await openTenant({ wait: turn, fair }, plugins);
  const { key_id } = await ask('POST /v1/keys', { name: 'people' });
  const { jwks: _, ...fields } = newIssuer(key_id);
  const input = { ...fields, jwks_uri: keys, permissions: ['encrypt' as const], ...more };
  const { issuer_id } = await ask('POST /v1/issuers', input);
  const wrap = (on: typeof service, token: string, input: () => object) =>
    called(
      on,
      { route, authorization: `Bearer ${token}`, header: () => issuer_id, ipAddress: '192.0.2.1' },
      input,
    );
  const admitted = new Refusal('bad_request', 'the body is not read');
  /** The status of a call of a user: as far as no body is needed, or of a wrap for the subject. */
  const call = (on = service, token = right, subject?: string) =>
    wrap(on, token, () => {
      if (subject) return { key_id, subject, dek };
      throw admitted;
    }).then(
      () => 200,
      (error: unknown) =>
        error === admitted ? 200 : error instanceof Refusal ? error.problem.status : error,
    );
  const patch = (change: object) => ask('PATCH /v1/issuers/:issuer_id', { issuer_id, ...change });
  /** Calls as a user, and returns the address of the entry. */
  const addressOf = async (on: typeof service) => {
    await wrap(on, right, () => ({ key_id, dek, subject: 'ann' }));
    return (await ask('GET /v1/audit', { limit: 1 })).logs[0]?.ip_address;
  };
  return { addressOf, call, patch, replica, verified };
}

test.each([
  ['a person has none', {}, null],
  ['staff has one', { any_subject: true, require: { sub: ['ann'] } }, '192.0.2.1'],
  ['a workload has one', { kind: 'workload', require: { sub: ['ann'] } }, '192.0.2.1'],
])(
  'of the addresses in entries, %s, on every replica, at first and from a guess',
  async (_, more, address) => {
    const { addressOf, replica } = await world(undefined, more);
    for (const on of [replica(), replica()]) {
      expect([await addressOf(on), await addressOf(on)]).toEqual([address, address]);
    }
  },
);

test('a signature is verified once, a forged one each time, and what needs none comes first', async () => {
  const { call, verified } = await world();
  expect([await call(), await call()]).toEqual([200, 200]);
  expect(verified).toEqual([right]);
  for (const wrong of [
    forged,
    forged,
    signIn.token('ann', { iss: 'x' }),
    signIn.token('ann', {}, { kid: 'x' }),
  ]) {
    expect(await call(undefined, wrong)).toBe(401);
  }
  expect(verified).toEqual([right, forged, forged]);
});

test('a key that is published no more counts no more, also for a token that was verified', async () => {
  const hosts = { [keys]: [signIn.jwk] };
  const { call } = await world(hosts);
  expect(await call()).toBe(200);
  for (const jwk of [other.jwk, { ...other.jwk, kid: signIn.jwk.kid }]) {
    hosts[keys] = [jwk];
    expect(await call()).toBe(401);
  }
});

test('what a replica remembers of an issuer refuses nobody', async () => {
  const { call, patch, replica } = await world({ [`${keys}new`]: [signIn.jwk] });
  const second = replica();
  expect(await call(second)).toBe(503);
  await patch({ jwks_uri: `${keys}new` });
  expect(await call(second)).toBe(200);
  await patch({ jwks: { keys: [other.jwk] } });
  expect(await call(second)).toBe(401);
  await patch({ jwks: { keys: [signIn.jwk] } });
  expect([await call(second), await call(second)]).toEqual([200, 200]);
});

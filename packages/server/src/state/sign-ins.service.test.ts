import type { Input } from '@eaas/protocol/wire';
import { newIssuer } from '@eaas/test-kit/calls';
import { newSignIn } from '@eaas/test-kit/sign-in';
import { apiOf, dek, settle, statusOf, testWorld } from '@eaas/test-kit/world';
import { expect, test, vi } from 'vitest';
import type { Service } from '../app/service.ts';
import { admit } from '../operations/admit.ts';
import { operations } from '../operations/table.ts';

const world = await testWorld(new Date().toISOString());
const owner = world.replica();
const { token: apiKey } = await settle(owner, 'ann');
const api = apiOf(owner, apiKey);
const { key_id } = await api('POST /v1/keys', { name: 'people' });

async function newIssuerOf(jwk: object): Promise<string> {
  const input = { ...newIssuer(key_id), jwks: { keys: [jwk] } };
  return (await api('POST /v1/issuers', input as Input<'POST /v1/issuers'>)).issuer_id;
}

async function wrap(service: Service, token: string, issuer: string): Promise<number> {
  const route = 'POST /v1/keys/:key_id/wrap';
  const authorization = `Bearer ${token}`;
  const sender = { origin: undefined, ipAddress: null, arrivedAt: performance.now() };
  return statusOf(
    (async () => {
      const caller = await admit(service, { route, authorization, issuer, ...sender });
      await operations[route](service, caller, { key_id, dek, subject: 'ann' });
    })(),
  );
}

/** Counts the turns of strangers, in which signatures are verified. */
function strangersOf(service: Service): () => number {
  const begin = vi.spyOn(service.admission.turns, 'begin');
  return () => begin.mock.calls.filter(([tenantId]) => tenantId === 'no tenant').length;
}

test('a signature is verified once, in a turn of no tenant, and 1,000 are remembered', async () => {
  const signIn = newSignIn('Ed25519');
  const issuer = await newIssuerOf(signIn.jwk);
  const service = world.replica();
  const turns = strangersOf(service);
  const first = signIn.token('ann');
  for (let round = 0; round < 3; round++) expect(await wrap(service, first, issuer)).toBe(200);
  expect(turns()).toBe(1);
  for (let nth = 0; nth < 1_000; nth++) await wrap(service, signIn.token('ann', { nth }), issuer);
  expect(turns()).toBe(1_001);
  expect(await wrap(service, first, issuer)).toBe(200);
  expect(turns()).toBe(1_002);
}, 60_000);

test('a forged token is refused in a turn of no tenant each time', async () => {
  const issuer = await newIssuerOf(newSignIn().jwk);
  const service = world.replica();
  const forged = newSignIn().token('ann', {}, { kid: undefined });
  expect(await wrap(service, forged, issuer)).toBe(401);
  const turns = strangersOf(service);
  for (let round = 0; round < 3; round++) expect(await wrap(service, forged, issuer)).toBe(401);
  expect(turns()).toBeGreaterThanOrEqual(3);
});

test('a change on one replica counts at once on another one, which remembers the issuer and a signature', async () => {
  const [old, young] = [newSignIn(), newSignIn()];
  const issuer_id = await newIssuerOf(old.jwk);
  const service = world.replica();
  expect(await wrap(service, old.token('ann'), issuer_id)).toBe(200);
  const verified = old.token('ann');
  expect(await wrap(service, verified, issuer_id)).toBe(200);
  const jwks = { keys: [{ kty: 'EC', ...young.jwk }] };
  await api('PATCH /v1/issuers/:issuer_id', { issuer_id, jwks });
  expect(await wrap(service, young.token('ann'), issuer_id)).toBe(200);
  expect(await wrap(service, verified, issuer_id)).toBe(401);
  await api('DELETE /v1/issuers/:issuer_id', { issuer_id });
  expect(await wrap(service, young.token('ann'), issuer_id)).toBe(401);
});

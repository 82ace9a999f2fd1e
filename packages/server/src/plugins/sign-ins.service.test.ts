import type { Input } from '@eaas/protocol/wire';
import { newIssuer } from '@eaas/test-kit/calls';
import { called } from '@eaas/test-kit/called';
import { keyHost } from '@eaas/test-kit/key-host';
import { newSignIn, type SignIn } from '@eaas/test-kit/sign-in';
import { type Api, apiOf, dek, settle, statusOf, testWorld } from '@eaas/test-kit/world';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Service } from '../app/service.ts';
import { KeyHosts } from './key-hosts.ts';

const world = await testWorld(new Date().toISOString());
const owner = world.replica();
const { token: apiKey, tenantId } = await settle(owner, 'ann');
const api = apiOf(owner, apiKey);
const { key_id } = await api('POST /v1/keys', { name: 'people' });

async function make(by: Api, fields: object): Promise<string> {
  const { jwks: _, ...input } = newIssuer(key_id);
  return (await by('POST /v1/issuers', { ...input, ...fields } as Input<'POST /v1/issuers'>)).issuer_id;
}

async function wrap(service: Service, token: string, issuer: string, subject = 'ann'): Promise<number> {
  const route = 'POST /v1/keys/:key_id/wrap';
  const authorization = `Bearer ${token}`;
  const header = (name: string) => (name === 'eaas-issuer' ? issuer : undefined);
  const sender = { origin: undefined, header, ipAddress: null };
  return statusOf(called(service, { route, authorization, ...sender }, () => ({ key_id, dek, subject })));
}

const [seconds, minutes, hours] = [1_000, 60_000, 3_600_000];

describe('keys that a host publishes', () => {
  const setOf = (...signIns: SignIn[]) => ({ keys: signIns.map(({ jwk }) => jwk) });
  const [signIn, young] = [newSignIn(), newSignIn()];
  /** A token at the time of the world. */
  const tokenOf = (who: SignIn, header: object = {}): string => {
    const now = Math.floor(world.time / 1_000);
    return who.token('ann', { iat: now, exp: now + 600 }, header);
  };
  const later = (milliseconds: number): void => {
    world.time += milliseconds;
  };

  /** Makes a host, an issuer whose keys are there, and a way to make replicas that may fetch them. */
  async function published(answer: Parameters<typeof keyHost>[0] = setOf(signIn)) {
    const host = await keyHost(answer);
    const replica = (hosts: readonly string[] = [host.host]) => world.replica(undefined, new KeyHosts(hosts));
    const by = apiOf(replica(), apiKey);
    const issuer_id = await make(by, { jwks_uri: host.uri });
    onTestFinished(async () => void (await by('DELETE /v1/issuers/:issuer_id', { issuer_id })));
    return { host, replica, by, issuer_id };
  }

  test('are fetched once, for all requests and replicas', async () => {
    const { host, replica, issuer_id, by } = await published();
    expect(host.count).toBe(0);
    const service = replica();
    const many = Array.from({ length: 20 }, () => wrap(service, tokenOf(signIn), issuer_id));
    expect(new Set(await Promise.all(many))).toEqual(new Set([200]));
    expect(await wrap(replica(), tokenOf(signIn), issuer_id)).toBe(200);
    expect(host.count).toBe(1);
    expect(await by('GET /v1/issuers/:issuer_id', { issuer_id })).toMatchObject({
      jwks: null,
      jwks_uri: host.uri,
    });
  });

  test('are fetched again after 10 minutes, and a key that is gone counts no more', async () => {
    const { host, replica, issuer_id } = await published(setOf(signIn, young));
    const [service, other] = [replica(), replica()];
    for (const one of [service, other]) expect(await wrap(one, tokenOf(signIn), issuer_id)).toBe(200);
    host.answer = setOf(young);
    later(10 * minutes);
    expect(await wrap(service, tokenOf(signIn), issuer_id)).toBe(200);
    expect(host.count).toBe(1);
    later(1);
    expect(await wrap(service, tokenOf(young), issuer_id)).toBe(200);
    for (const one of [service, other]) expect(await wrap(one, tokenOf(signIn), issuer_id)).toBe(401);
    // The key that the second replica misses could be new, but the first one has just fetched.
    expect(host.count).toBe(2);
  });

  test('an unknown key causes one fetch in 30 seconds, in a flood too', async () => {
    const { host, replica, issuer_id } = await published();
    const service = replica();
    expect(await wrap(service, tokenOf(signIn), issuer_id)).toBe(200);
    const flood = async () => {
      const tokens = Array.from({ length: 30 }, (_, nth) => tokenOf(newSignIn('Ed25519'), { kid: `${nth}` }));
      const statuses = await Promise.all(tokens.map((token) => wrap(service, token, issuer_id)));
      expect(new Set(statuses)).toEqual(new Set([401]));
      return host.count;
    };
    host.answer = setOf(signIn, young);
    expect(await flood()).toBe(1);
    expect(await wrap(service, tokenOf(young), issuer_id)).toBe(401);
    later(30 * seconds);
    expect(await wrap(service, tokenOf(young), issuer_id)).toBe(200);
    expect(await flood()).toBe(2);
    later(30 * seconds);
    expect(await flood()).toBe(3);
    expect(await wrap(service, tokenOf(signIn), issuer_id)).toBe(200);
  });

  test('the stored ones count for a day while the host is down, and none is 503', async () => {
    const { host, replica, issuer_id } = await published();
    const down: Parameters<typeof keyHost>[0] = (request) => request.socket.destroy();
    expect(await wrap(replica(), tokenOf(signIn), issuer_id)).toBe(200);
    host.answer = down;
    later(23 * hours);
    const service = replica();
    const lines: unknown[] = [];
    service.alarms.log = (fields, message) => lines.push({ ...fields, message });
    expect(await wrap(service, tokenOf(signIn), issuer_id)).toBe(200);
    expect(await wrap(service, tokenOf(young), issuer_id)).toBe(401);
    expect(host.count).toBe(2);
    expect(service.alarms.keyFetchesFailed).toBe(1);
    expect(lines).toEqual([
      {
        tenant_id: tenantId,
        issuer_id,
        reason: expect.stringContaining('the host') as string,
        message: 'the public keys of a sign-in could not be fetched',
      },
    ]);
    later(hours + 1);
    expect(await wrap(service, tokenOf(signIn), issuer_id)).toBe(503);
    expect(await wrap(replica(), tokenOf(signIn), issuer_id)).toBe(503);
    host.answer = setOf(signIn);
    later(30 * seconds);
    expect(await wrap(service, tokenOf(signIn), issuer_id)).toBe(200);
  });

  test('a host that is not allowed any more is not asked, and its stored keys do not count', async () => {
    const { host, replica, issuer_id } = await published();
    expect(await wrap(replica(), tokenOf(signIn), issuer_id)).toBe(200);
    expect(await wrap(replica([]), tokenOf(signIn), issuer_id)).toBe(503);
    later(11 * minutes);
    expect(await wrap(replica(['127.0.0.1']), tokenOf(signIn), issuer_id)).toBe(503);
    expect(host.count).toBe(1);
  });

  test('a host that hangs holds up no other issuer, and no API key', async () => {
    let end = (): void => {};
    const hanging = await published((request) => {
      end = () => request.socket.destroy();
    });
    const other = await published();
    const service = world.replica(undefined, new KeyHosts([hanging.host.host, other.host.host]));
    let hasEnded = false;
    const calls = Array.from({ length: 50 }, () => wrap(service, tokenOf(signIn), hanging.issuer_id));
    const waiting = Promise.all(calls).finally(() => {
      hasEnded = true;
    });
    await expect.poll(() => hanging.host.count).toBe(1);
    expect(await wrap(service, tokenOf(signIn), other.issuer_id)).toBe(200);
    await apiOf(service, apiKey)('GET /v1/keys', {});
    expect(hasEnded).toBe(false);
    end();
    expect(new Set(await waiting)).toEqual(new Set([503]));
    expect(hanging.host.count).toBe(1);
  });

  test('a stored set that somebody has changed is not used', async () => {
    const { host, replica, issuer_id } = await published();
    expect(await wrap(replica(), tokenOf(signIn), issuer_id)).toBe(200);
    const forged = JSON.stringify(setOf(young));
    await owner.database.run(
      (sql) => sql`update eaas.key_sets set jwks = ${forged} where issuer_id = ${issuer_id}`,
    );
    expect(await wrap(replica(), tokenOf(young), issuer_id)).toBe(401);
    expect(await wrap(replica(), tokenOf(signIn), issuer_id)).toBe(200);
    expect(host.count).toBe(2);
  });
});

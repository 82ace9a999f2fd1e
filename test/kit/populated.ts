import { alone } from './alone.ts';
import type { Input } from '@eaas/protocol/wire';
import { insider } from '@eaas/service';
import { purge } from '../../packages/server/src/jobs/purge.ts';
import { operations } from '../../packages/server/src/operator/operations.ts';
import { updateTenant } from '../../packages/server/src/operator/tenants.ts';
import type { Service } from '../../packages/server/src/app/service.ts';
import type { Attacker } from './attacker.ts';
import { newIssuer } from './calls.ts';
import { type Api, apiOf, dek, type Resident, settle, type World } from './world.ts';

export interface Populated extends Resident {
  readonly quiet: string;
  readonly busy: string;
  readonly destroyed: string;
  readonly pending: string;
  readonly limited: { readonly apiKeyId: string; readonly token: string };
  readonly quietApiKey: { readonly apiKeyId: string; readonly token: string };
  readonly revoked: { readonly apiKeyId: string; readonly token: string };
  readonly wrapped: string;
}

/** A change in the life of a tenant's subjects, with `api` as the caller. */
type People = Readonly<Record<'2019' | '2020' | '2026', (api: Api, one: Populated) => Promise<unknown>>>;

const wrapFor = (api: Api, { busy: key_id }: Populated, subject: string) =>
  api('POST /v1/keys/:key_id/wrap', { key_id, dek, subject });
const erase = (api: Api, subject: string) => api('POST /v1/subjects/erase', { subject });

/**
 * Subjects by the time of their first wrap and of their erasure: those of 2019 and 2020 are purged. One was never wrapped
 * for. Their sign-ins are two issuers, of which one was revoked.
 */
export const people: People = {
  async '2019'(api, one) {
    for (const subject of ['erased in 2020', 'erased in 2026']) await wrapFor(api, one, subject);
    for (const name of ['revoked', 'narrowed']) {
      const fields = { ...newIssuer(one.busy), name } as Input<'POST /v1/issuers'>;
      await api('POST /v1/issuers', fields);
    }
  },
  '2020': (api) => erase(api, 'erased in 2020'),
  async '2026'(api, one) {
    await erase(api, 'erased in 2026');
    for (const subject of ['young', 'short-lived']) await wrapFor(api, one, subject);
    await erase(api, 'short-lived');
    await api('POST /v1/subjects/erase', { subject: 'unknown', create: true });
    for (const { issuer_id, name } of (await api('GET /v1/issuers', {})).issuers) {
      if (name === 'revoked') await api('DELETE /v1/issuers/:issuer_id', { issuer_id });
      else await api('PATCH /v1/issuers/:issuer_id', { issuer_id, permissions: ['encrypt'] });
    }
  },
};

const nobody: People = { '2019': async () => {}, '2020': async () => {}, '2026': async () => {} };

export async function populate(
  world: World,
  attacker: Attacker,
  subjects = nobody,
): Promise<[Populated, Populated]> {
  const service = world.replica();
  const ann = await begin(service, 'ann');
  const ben = await begin(service, 'ben');
  const live = async (year: keyof People): Promise<void> => {
    for (const one of [ann, ben]) await subjects[year](apiOf(service, one.token), one);
  };
  await live('2019');
  await attacker.keep('early');
  world.time = Date.parse('2020-06-01T00:00:00Z');
  for (const one of [ann, ben]) await year2020(service, one);
  await live('2020');
  await attacker.keep('middle');
  world.time = Date.parse('2026-09-01T00:00:00Z');
  for (const one of [ann, ben]) await year2026(service, one);
  await live('2026');
  await attacker.keep('late');
  await purge(service, 60, alone());
  await attacker.keep('now');
  return [ann, ben];
}

async function begin(service: Service, name: string): Promise<Populated> {
  const resident = await settle(service, name);
  const api = apiOf(service, resident.token);
  const key = async (keyName: string, intake = false) =>
    (await api('POST /v1/keys', { name: keyName, intake })).key_id;
  const quiet = await key('quiet', true);
  const busy = await key('busy');
  const issue = async (fields: Omit<Input<'POST /v1/api-keys'>, 'name'>) => {
    const operator = insider(resident.tenantId, 'operator');
    const { api_key_id: apiKeyId, api_key: token } = await operations['POST /v1/api-keys'](
      service,
      operator,
      {
        name: 'another',
        ...fields,
      },
    );
    return { apiKeyId, token };
  };
  return {
    ...resident,
    quiet,
    busy,
    destroyed: await key('destroyed'),
    pending: await key('pending'),
    limited: await issue({
      permissions: ['encrypt', 'decrypt', 'keys.read'],
      key_ids: [quiet, busy],
      allowed_origins: ['https://one.example', 'https://two.example'],
      expires_at: '2030-01-01T00:00:00Z',
    }),
    quietApiKey: await issue({ permissions: ['encrypt', 'audit.read'] }),
    revoked: await issue({ permissions: ['encrypt', 'api_keys.manage'] }),
    wrapped: (await api('POST /v1/keys/:key_id/wrap', { key_id: busy, dek })).wrapped_key,
  };
}

async function year2020(service: Service, one: Populated): Promise<void> {
  const api = apiOf(service, one.token);
  await api('POST /v1/keys/:key_id/rotate', { key_id: one.quiet });
  await api('POST /v1/keys/:key_id/rotate', { key_id: one.busy });
  const { apiKeyId: api_key_id } = one.quietApiKey;
  await api('PATCH /v1/api-keys/:api_key_id', { api_key_id, permissions: ['encrypt'] });
  await updateTenant(service, one.tenantId, { monthly_encrypt_quota: 50 });
  await api('POST /v1/keys/:key_id/disable', { key_id: one.destroyed });
}

async function year2026(service: Service, one: Populated): Promise<void> {
  const { busy, destroyed, pending, limited, revoked, tenantId, wrapped } = one;
  const api = apiOf(service, one.token);
  await api('DELETE /v1/keys/:key_id', { key_id: destroyed, grace_days: 0 });
  await api('POST /v1/keys/:key_id/disable', { key_id: pending });
  await api('DELETE /v1/keys/:key_id', { key_id: pending, grace_days: 30 });
  await api('PUT /v1/keys/:key_id/rotation-policy', { key_id: busy, interval_days: 90 });
  await api('POST /v1/keys/:key_id/rotate', { key_id: busy });
  await api('DELETE /v1/api-keys/:api_key_id', { api_key_id: revoked.apiKeyId });
  await api('PATCH /v1/api-keys/:api_key_id', { api_key_id: limited.apiKeyId, name: 'renamed' });
  await updateTenant(service, tenantId, { monthly_encrypt_quota: 500 });
  for (let time = 0; time < 3; time++) {
    await api('POST /v1/keys/:key_id/wrap', { key_id: busy, dek, context: { nth: String(time) } });
    await api('POST /v1/keys/:key_id/unwrap', { key_id: busy, wrapped_key: wrapped });
    await api('POST /v1/encrypt', { key_id: busy, plaintext: 'text' });
  }
}

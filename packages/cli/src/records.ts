// The ids in the paths of endpoints, as arguments of commands: how a person names a record, and how it is found.
import { parseUuid } from '@eaas/protocol';
import type { Output } from '@eaas/protocol/wire';
import { Refusal } from '@eaas/server/internal';
import { allPages, type Caller } from './command.ts';
import { conflict, orNotFound } from './refusal.ts';

interface NamedRecord {
  readonly argument: string;
  readonly about: string;
  readonly example: string;
  /** Returns the id. Throws Refusal. */
  readonly find: (caller: Caller, given: string) => Promise<string>;
}

export const records: Readonly<Record<string, NamedRecord>> = {
  key_id: {
    argument: '<key>',
    about: "the key's id or name",
    example: 'patients',
    find: async (...given) => (await requireKey(...given)).key_id,
  },
  api_key_id: {
    argument: '<api_key>',
    about: "the API key's id or name",
    example: 'ci',
    async find(caller, given) {
      const api_key_id = parseUuid(given) ?? (await apiKeyNamed(caller, given)) ?? given;
      const found = caller.ask('GET /v1/api-keys/:api_key_id', { api_key_id });
      const orByToken = ', and `eaas api-key identify` finds one by its token';
      const unknown = missing(caller, 'API key', 'api-key', 'id or name', orByToken);
      return (await orNotFound(unknown, found)).api_key_id;
    },
  },
  issuer_id: {
    argument: '<issuer_id>',
    about: 'the id of the issuer',
    example: '6d0f2a1c-3b58-4e0b-9c1d-7a54c1b0e2f3',
    async find(caller, issuer_id) {
      const found = caller.ask('GET /v1/issuers/:issuer_id', { issuer_id });
      return (await orNotFound(missing(caller, 'issuer', 'issuer', 'id'), found)).issuer_id;
    },
  },
};

const missing = ({ place }: Caller, what: string, group: string, by: string, otherwise = ''): string =>
  `The tenant has no ${what} with this ${by}: \`eaas ${group} list ${place}\` lists them${otherwise}.`;

type Key = Output<'POST /v1/keys'>;

export async function requireKey(caller: Caller, idOrName: string): Promise<Key> {
  const unknown = missing(caller, 'key', 'key', 'id or name');
  const key_id = parseUuid(idOrName);
  if (key_id) return orNotFound(unknown, caller.ask('GET /v1/keys/:key_id', { key_id }));
  const { keys } = await caller.ask('GET /v1/keys', { name: idOrName });
  const key = keys.find(({ status }) => status !== 'destroyed') ?? keys[0];
  if (!key) throw new Refusal('not_found', unknown);
  return key;
}

/** Finds an API key that is not revoked by its name, which others can have too. */
async function apiKeyNamed({ ask }: Caller, name: string): Promise<string | undefined> {
  const all = await allPages(async (page) => (await ask('GET /v1/api-keys', page)).api_keys, 'api_key_id');
  const named = all.filter((apiKey) => apiKey.name === name && apiKey.revoked_at === null);
  const ids = named.map(({ api_key_id }) => api_key_id);
  if (ids.length < 2) return ids[0];
  const several = `${ids.length} API keys have this name: pass the id of one (${ids.join(', ')}).`;
  throw conflict(several);
}

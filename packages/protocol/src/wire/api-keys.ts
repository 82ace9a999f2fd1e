// The calls that manage API keys: their schemas, and what the reference says about them. Those of issuers are like them.
import * as z from 'zod/mini';
import type { Endpoints, Group } from './endpoint.ts';
import { limits } from './limits.ts';
import { permissions } from './permissions.ts';
import { name, page, paging, sized, text, time, timestamp, uuid } from './primitives.ts';
import { samples } from './samples.ts';

/** A list without duplicates. */
export function list<Item extends z.ZodMiniType<string>>(item: Item, most: number) {
  return z.array(item).check(
    sized(most),
    z.refine(
      (items) => new Set(items.map((text) => text.toLowerCase())).size === items.length,
      'has a duplicate',
    ),
  );
}

export const origin = text(
  (text) => text.length <= limits.origin && isOrigin(text),
  `must be an origin like https://app.example, of at most ${limits.origin} bytes`,
);

function isOrigin(text: string): boolean {
  if (!/^https?:/.test(text)) return /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+(:\d+)?$/.test(text);
  // Refuses `*`, which the URL standard allows in a host, because no page has such an origin.
  return URL.canParse(text) && new URL(text).origin === text && !text.includes('*');
}

const fields = {
  name,
  permissions: list(z.enum(permissions), permissions.length),
  key_ids: z.nullable(list(z.string(), limits.keyIds)),
  expires_at: z.nullable(timestamp),
  allowed_origins: z.nullable(list(origin, limits.allowedOrigins)),
};

const apiKeyRecord = z.object({
  api_key_id: uuid,
  name: z.string(),
  hint: z.string(),
  permissions: z.array(z.enum(permissions)),
  key_ids: z.nullable(z.array(uuid)),
  allowed_origins: z.nullable(z.array(z.string())),
  expires_at: z.nullable(time),
  created_at: time,
  created_by: z.string(),
  revoked_at: z.nullable(time),
  last_used_at: z.nullable(time),
});

/** A call about what holds rights: an API key, or an issuer. */
export const managing = <Output extends z.ZodMiniObject>(summary: string, output: Output) => ({
  permission: 'api_keys.manage' as const,
  onServers: true as const,
  summary,
  output,
});

/** A list of what holds rights. */
export const managedList = <Output extends z.ZodMiniObject>(summary: string, output: Output) => ({
  ...managing(summary, output),
  snapshot: true as const,
  cost: 33 as const,
  query: z.strictObject(paging()),
});

export const apiKeys = {
  'POST /v1/api-keys': {
    ...managing('Create an API key', z.extend(apiKeyRecord, { api_key: z.string() })),
    body: z.partial(z.strictObject(fields), { key_ids: true, expires_at: true, allowed_origins: true }),
    status: 201,
    creates: 'api_key_id',
    secret: true,
  },
  'GET /v1/api-keys': managedList('List API keys', z.object({ api_keys: z.array(apiKeyRecord), ...page })),
  'GET /v1/api-keys/:api_key_id': { ...managing('Show an API key', apiKeyRecord), snapshot: true },
  'PATCH /v1/api-keys/:api_key_id': {
    ...managing('Change an API key', apiKeyRecord),
    body: z.partial(z.strictObject(fields)),
  },
  'DELETE /v1/api-keys/:api_key_id': managing('Revoke an API key', apiKeyRecord),
} satisfies Endpoints;

/** What the reference says about these calls. */
export const aboutApiKeys = (): Group<typeof apiKeys> => {
  const { apiKeyId, keyId, onePage, token } = samples;
  const sample = {
    api_key_id: apiKeyId,
    name: 'web shop',
    hint: '34ms',
    permissions: ['encrypt' as const, 'decrypt' as const],
    key_ids: [keyId],
    allowed_origins: null,
    expires_at: '2027-08-11T00:00:00.000Z',
    created_at: '2026-08-11T09:41:12.083Z',
    created_by: '7a06d673-8192-4531-89ee-8b624c175e4d',
    revoked_at: null,
    last_used_at: '2026-11-20T08:15:00.000Z',
  };
  return {
    title: 'API keys',
    about: 'Manage API keys and their permissions.',
    fields: {
      api_key: 'The API key itself. Shown once.',
      api_key_id: 'The API key’s id, a UUID.',
      api_keys: 'The API keys of this page.',
      hint: 'The last four characters of the token, to recognise it.',
      last_used_at: 'The time of the last use, to the minute. Known at most a minute after it.',
    },
    calls: {
      'POST /v1/api-keys': {
        id: 'createApiKey',
        about:
          'Creates an API key. Only this response shows `api_key`. The permissions, keys, expiry and ' +
          'origins of the new API key must be within those of the caller, else 403. An API key that is ' +
          'limited to some keys cannot have `audit.read`, `api_keys.manage`, `usage.read` or ' +
          '`subjects.erase`. An API key with `allowed_origins`, for browsers, cannot have `*.manage`, ' +
          '`keys.destroy`, `keys.export` or `subjects.erase`. A tenant has at most ' +
          `${limits.apiKeys} API keys that are neither revoked nor expired (409).`,
        problems: ['not_found', 'conflict'],
        input: {
          name: 'web shop',
          permissions: ['encrypt', 'decrypt'],
          key_ids: [keyId],
          expires_at: '2027-08-11T00:00:00Z',
        },
        output: { ...sample, last_used_at: null, api_key: token },
      },
      'GET /v1/api-keys': {
        id: 'listApiKeys',
        about: 'Lists API keys, newest first, including revoked ones. Their tokens are not stored.',
        input: { limit: 50 },
        output: { api_keys: [sample], ...onePage },
      },
      'GET /v1/api-keys/:api_key_id': {
        id: 'getApiKey',
        about: 'Returns an API key.',
        output: sample,
      },
      'PATCH /v1/api-keys/:api_key_id': {
        id: 'updateApiKey',
        about:
          'Changes the fields that are sent, unless the API key is revoked (409). A change that only ' +
          'removes rights is always allowed. If a change adds any right, all resulting permissions, keys, ' +
          'expiry and origins must be within those of the caller, else 403. The last API key of a tenant ' +
          'with `api_keys.manage` and without an expiry cannot lose that permission or get an expiry here ' +
          '(409).',
        problems: ['conflict'],
        input: { name: 'web shop, EU' },
        output: { ...sample, name: 'web shop, EU' },
      },
      'DELETE /v1/api-keys/:api_key_id': {
        id: 'revokeApiKey',
        about:
          'Revokes an API key immediately and permanently. A second call responds with 200. The last API ' +
          'key of a tenant with `api_keys.manage` and without an expiry cannot be revoked here (409).',
        problems: ['conflict'],
        output: { ...sample, revoked_at: '2026-11-20T09:12:45.310Z' },
      },
    },
  };
};

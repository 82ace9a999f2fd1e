import * as z from 'zod/mini';
import { limits } from './limits.ts';
import { permissions } from './permissions.ts';
import { name, page, paging, sized, text, time, timestamp, uuid } from './primitives.ts';

function list<Item extends z.ZodMiniType<string>>(item: Item, most: number) {
  return z.array(item).check(
    sized(most),
    z.refine(
      (items) => new Set(items.map((text) => text.toLowerCase())).size === items.length,
      'has a duplicate',
    ),
  );
}

const origin = text(
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

export const createApiKey = {
  body: z.partial(z.strictObject(fields), { key_ids: true, expires_at: true, allowed_origins: true }),
  output: z.extend(apiKeyRecord, { api_key: z.string() }),
};

export const listApiKeys = {
  query: z.strictObject(paging()),
  output: z.object({ api_keys: z.array(apiKeyRecord), ...page }),
};

export const getApiKey = { output: apiKeyRecord };

export const updateApiKey = { body: z.partial(z.strictObject(fields)), output: apiKeyRecord };

export const revokeApiKey = { body: z.strictObject({}), output: apiKeyRecord };

import * as z from 'zod/mini';
import { permissions } from './permissions.ts';
import { name, page, pageLimit, time, timestamp, uuid, wholeNumber } from './primitives.ts';

const most = 1_000;

function list<Item extends z.ZodMiniType<string>>(item: Item) {
  return z.array(item).check(
    z.refine(
      (items) => items.length >= 1 && items.length <= most,
      `must have 1 to ${most} items (null: no limit)`,
    ),
    z.refine(
      (items) => new Set(items.map((text) => text.toLowerCase())).size === items.length,
      'names one twice',
    ),
  );
}

/** An origin exactly as browsers send it: scheme, host and port, in lower case, without a default port. */
function isOrigin(text: string): boolean {
  if (!/^https?:/.test(text)) return /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+(:\d+)?$/.test(text);
  // No pattern: the URL standard lets a `*` stand in a host.
  return URL.canParse(text) && new URL(text).origin === text && !text.includes('*');
}

const fields = {
  name,
  permissions: list(z.enum(permissions)),
  key_ids: z.nullable(list(z.string())),
  expires_at: z.nullable(timestamp),
  allowed_origins: z.nullable(
    list(z.string().check(z.refine(isOrigin, 'is not an origin as in https://app.example'))),
  ),
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
  body: z.strictObject({
    ...fields,
    key_ids: z.optional(fields.key_ids),
    expires_at: z.optional(fields.expires_at),
    allowed_origins: z.optional(fields.allowed_origins),
  }),
  output: z.extend(apiKeyRecord, { api_key: z.string() }),
};

export const listApiKeys = {
  query: z.strictObject({ limit: z.optional(pageLimit), offset: z.optional(wholeNumber(0)) }),
  output: z.object({ api_keys: z.array(apiKeyRecord), ...page }),
};

export const getApiKey = { output: apiKeyRecord };

export const updateApiKey = { body: z.partial(z.strictObject(fields)), output: apiKeyRecord };

export const revokeApiKey = { body: z.strictObject({}), output: apiKeyRecord };

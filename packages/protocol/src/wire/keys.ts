import * as z from 'zod/mini';
import { limits } from './limits.ts';
import { count, element, integer, name, page, paging, time, uuid, wholeNumber } from './primitives.ts';
import { rsaPublicKey } from './rsa-public-key.ts';

const keyStatus = z.enum(['active', 'disabled', 'pending_destruction', 'destroyed']);
const intervalDays = integer(1, limits.rotationDays);
const rotationPolicy = z.strictObject({ interval_days: intervalDays });

const keyRecord = z.object({
  key_id: uuid,
  name: z.string(),
  key_version: count,
  status: keyStatus,
  exportable: z.boolean(),
  intake: z.boolean(),
  created_at: time,
  rotated_at: z.nullable(time),
  rotation_policy: z.nullable(rotationPolicy),
  next_rotation_at: z.nullable(time),
  destroy_at: z.nullable(time),
});

export const createKey = {
  body: z.strictObject({
    name,
    exportable: z.nullish(z.boolean()),
    intake: z.nullish(z.boolean()),
    rotation_policy: z.nullish(rotationPolicy),
  }),
  output: keyRecord,
};

export const listKeys = {
  query: z.strictObject({ ...paging(), status: z.optional(keyStatus), name: z.optional(name) }),
  output: z.object({ keys: z.array(keyRecord), ...page }),
};

export const getKey = {
  query: z.strictObject(paging(limits.versionsMaximum, limits.versionsDefault)),
  output: z.extend(keyRecord, {
    versions_total: count,
    limit: count,
    offset: count,
    versions: z.array(
      z.object({
        key_version: count,
        created_at: time,
        wraps: count,
        unwraps: count,
        last_unwrap_at: z.nullable(time),
      }),
    ),
  }),
};

export const getPublicKey = {
  output: z.object({
    key_id: uuid,
    key_version: count,
    intake_public_key: z.nullable(z.string()),
    hash_public_key: element,
  }),
};

export const rotateKey = { body: z.strictObject({ key_version: z.optional(z.int()) }), output: keyRecord };

export const changeKey = { body: z.strictObject({}), output: keyRecord };

export const destroyKey = {
  body: z.strictObject({}),
  query: z.strictObject({ grace_days: z.optional(wholeNumber(0, limits.graceDays)) }),
  output: keyRecord,
};

export const setPolicy = {
  body: z.strictObject({ interval_days: z.nullable(intervalDays) }),
  output: keyRecord,
};

export const exportKey = {
  body: z.strictObject({ public_key: rsaPublicKey, from_version: z.optional(integer(1)) }),
  output: z.object({
    tenant_id: uuid,
    key_id: uuid,
    versions: z.array(z.object({ key_version: count, encrypted: z.string() })),
    next_version: z.nullable(count),
    hash_key: z.string(),
  }),
};

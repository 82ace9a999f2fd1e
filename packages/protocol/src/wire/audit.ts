import * as z from 'zod/mini';
import {
  count,
  hex,
  keyId,
  page,
  paging,
  queryTimestamp,
  text,
  time,
  uuid,
  wholeNumber,
} from './primitives.ts';

/** Every action that an audit entry can record. */
export const auditActions = [
  'key.wrap',
  'key.unwrap',
  'key.create',
  'key.rotate',
  'key.disable',
  'key.enable',
  'key.destroy',
  'key.restore',
  'key.export',
  'key.rotation_policy',
  'encrypt',
  'decrypt',
  'envelope_only.refused',
  'api_key.create',
  'api_key.update',
  'api_key.revoke',
  'tenant.update',
] as const;

/** The action of an audit entry. */
export type AuditAction = (typeof auditActions)[number];

const auditEntry = z.object({
  id: count,
  tenant_id: uuid,
  action: z.enum(auditActions),
  key_id: z.nullable(uuid),
  key_version: z.nullable(count),
  actor: z.string(),
  ip_address: z.nullable(z.string()),
  metadata: z.record(z.string(), z.unknown()),
  created_at: time,
  hash: hex,
});

export const listAudit = {
  query: z.strictObject({
    key_id: z.optional(keyId),
    action: z.optional(z.enum(auditActions)),
    date_from: z.optional(queryTimestamp),
    date_to: z.optional(queryTimestamp),
    ...paging(),
  }),
  output: z.object({ logs: z.array(auditEntry), ...page }),
};

const position = z.object({ id: count, hash: hex });

const verifiedRow = text(
  (text) => /^(keys|api_keys|done):[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text),
  'must be the `next_row` that a verification returned: pass it unchanged, or leave it out to begin again',
);

export const verifyAudit = {
  query: z.strictObject({
    from_id: z.optional(wholeNumber(1)),
    to_id: z.optional(wholeNumber(1)),
    row: z.optional(verifiedRow),
    checkpoint: z.optional(z.string()),
  }),
  output: z.object({
    valid: z.nullable(z.boolean()),
    complete: z.boolean(),
    next_id: z.nullable(count),
    next_row: z.nullable(z.string()),
    checked: count,
    first_id: z.nullable(count),
    last_id: z.nullable(count),
    purged_through: z.nullable(position),
    head: position,
    errors: z.array(z.object({ id: z.nullable(count), reason: z.string() })),
    error_count: count,
    checkpoint: z.nullable(z.object({ id: count, hash: hex, valid: z.boolean() })),
    verified_at: time,
  }),
};

export const getCheckpoint = {
  output: z.object({
    checkpoint: z.string(),
    verifier_key: z.string(),
    tenant_id: uuid,
    id: count,
    hash: hex,
  }),
};

export const getUsage = {
  query: z.strictObject({
    month: z.optional(text((text) => /^\d{4}-(0[1-9]|1[0-2])$/.test(text), 'must be a month like 2026-11')),
  }),
  output: z.object({
    month: z.string(),
    operations: z.object({ encrypt: count, decrypt: count, 'key.wrap': count, 'key.unwrap': count }),
    encrypt_quota: z.nullable(count),
  }),
};

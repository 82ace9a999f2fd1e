import * as z from 'zod/mini';
import { auditActions } from './audit-actions.ts';
import { count, hex, keyId, page, pageLimit, time, timestamp, uuid, wholeNumber } from './primitives.ts';

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
    date_from: z.optional(timestamp),
    date_to: z.optional(timestamp),
    limit: z.optional(pageLimit),
    offset: z.optional(wholeNumber(0)),
  }),
  output: z.object({ logs: z.array(auditEntry), ...page }),
};

const position = z.object({ id: count, hash: hex });

export const verifyAudit = {
  query: z.strictObject({
    from_id: z.optional(wholeNumber(1)),
    to_id: z.optional(wholeNumber(1)),
    checkpoint: z.optional(z.string()),
  }),
  output: z.object({
    valid: z.nullable(z.boolean()),
    complete: z.boolean(),
    next_id: z.nullable(count),
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

// The calls that read, verify and prove the audit log. Users who ask about their own data get less of an entry than operators.
import * as z from 'zod/mini';
import { auditActions } from './audit-actions.ts';
import type { Endpoints, Group } from './endpoint.ts';
import { parseUuid } from '../uuid.ts';
import {
  count,
  hex,
  keyId,
  page,
  paging,
  personId,
  queryTimestamp,
  subjectOrMe,
  text,
  time,
  uuid,
  wholeNumber,
} from './primitives.ts';
import { samples } from './samples.ts';

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
  salt: hex,
  hash: hex,
});

/** What a user sees of an entry about the own data: no addresses, contexts or ids. */
const ownEntry = z.object({
  action: z.enum(auditActions),
  key_id: z.nullable(uuid),
  created_at: time,
  metadata: z.object({
    user: z.optional(z.string()),
    user_asserted: z.optional(z.boolean()),
    outcome: z.optional(z.string()),
    code: z.optional(z.string()),
  }),
});

const counted = { ...page, total: z.nullable(count), total_at_least: z.optional(count) };

const actor = text(
  (text) => /^(operator|system)$/.test(text) || parseUuid(text) !== undefined,
  'must be the id of an API key or an issuer, `operator` or `system`',
).check(z.overwrite((text) => text.toLowerCase()));

const position = z.object({ id: count, hash: hex });

export const audit = {
  'GET /v1/audit': {
    permission: 'audit.read',
    onServers: true,
    summary: 'List audit entries',
    snapshot: true,
    cost: 16,
    query: z.strictObject({
      key_id: z.optional(keyId),
      action: z.optional(z.enum(auditActions)),
      actor: z.optional(actor),
      date_from: z.optional(queryTimestamp),
      date_to: z.optional(queryTimestamp),
      subject_id: z.optional(subjectOrMe),
      user_id: z.optional(personId),
      ...paging(),
    }),
    forUsers: true,
    output: z.object({ logs: z.array(auditEntry), ...counted }),
    userOutput: z.object({ logs: z.array(ownEntry), ...counted }),
  },
  'GET /v1/audit/verify': {
    permission: 'audit.read',
    onServers: true,
    summary: 'Verify the audit chain',
    cost: 31,
    ofAnyHead: true,
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
      rows_checked: z.optional(z.boolean()),
      checkpoint: z.nullable(z.object({ id: count, hash: hex, valid: z.boolean() })),
      verified_at: time,
    }),
  },
  'GET /v1/audit/checkpoint': {
    permission: 'audit.read',
    onServers: true,
    summary: 'Sign the head of the audit chain',
    snapshot: true,
    output: z.object({
      checkpoint: z.string(),
      verifier_key: z.string(),
      tenant_id: uuid,
      id: count,
      hash: hex,
    }),
  },
  'GET /v1/audit/proof': {
    permission: 'audit.read',
    onServers: true,
    summary: 'Prove an entry by the public log',
    query: z.strictObject({ id: z.optional(wholeNumber(1)) }),
    output: z.object({ proof: z.string() }),
  },
} satisfies Endpoints;

/** What the reference says about these calls. */
export const aboutAudit = (): Group<typeof audit> => {
  const { entryHash, tenantId } = samples;
  return {
    title: 'Audit',
    about: 'A record of every operation, in a hash chain that reveals later changes.',
    fields: {
      action: 'The recorded action.',
      actor: 'The id of the API key, or of the issuer whose user acted, `operator` or `system`.',
      checked: 'The number of checked entries.',
      checkpoint: 'A checkpoint from `GET /v1/audit/checkpoint`.',
      complete:
        'Whether the whole range was checked. A call ends after 10 seconds, or earlier if other tenants wait.',
      date_from: 'The start of the period, inclusive.',
      date_to: 'The end of the period, inclusive.',
      error_count: 'The number of errors.',
      errors: 'The first 100 errors.',
      first_id: 'The id of the first checked entry. Null if no entry was checked.',
      from_id: 'The id of the first entry to check.',
      head: 'The newest entry of the chain.',
      id: 'The entry’s number.',
      ip_address:
        'The IP address of the client; an IPv4-mapped address is written as IPv4. ' +
        'Null for a user of an issuer without `any_subject`, and if the actor is not a client.',
      last_id: 'The id of the last checked entry. Null if no entry was checked.',
      logs: 'The entries of this page.',
      metadata: 'Further details of the action: an object of at most 40 KiB.',
      next_id: 'The `from_id` of the next call. Null when the verification is complete.',
      rows_checked:
        'Whether the rows were compared with their sum. If not, `valid` is never true, even if `complete` is.',
      proof: 'The text of a proof, a C2SP tlog-proof.',
      purged_through: 'The last entry that retention has deleted. Null if there is none.',
      reason: 'The error found.',
      to_id: 'The id of the last entry to check.',
      total_at_least: 'Only if `total` is null: the number that it exceeds.',
      user_id: 'The id of a user, whole or its first 32 characters, as `metadata.user` shows it.',
      valid:
        'True if all entries and rows were checked and none is wrong, false if an error was found. Null while this is not known.',
      verified_at: 'The time of this verification.',
      verifier_key: 'The key that verifies the signature. It never changes, so keep the first one.',
      'errors.id': 'The id of the entry with the error. Null if the error belongs to no single entry.',
      'head.hash': 'The hash of the newest entry.',
      'head.id': 'The id of the newest entry; 0 in an empty chain.',
      'getCheckpoint.checkpoint': 'The signed text, a C2SP signed note.',
      'getCheckpoint.hash': 'The hash of the newest entry, in hexadecimal.',
      'getCheckpoint.id': 'The id of the newest entry; 0 if the log is empty.',
      'logs.created_at': 'The time of the entry, never before the time of the previous entry.',
      'logs.hash':
        'The SHA-256 of the previous hash and of the digest of the other fields, which chains the entries. Anyone can recompute it.',
      'logs.id': 'The number of the entry: 1, 2, 3 … without a gap.',
      'logs.key_id': 'The key. Null if the action has no key.',
      'logs.key_version': 'The version of the key. Null if the action has no key.',
      'logs.salt': 'Random: of a hidden entry, whose digest alone is shown, nobody can confirm a guess.',
      'purged_through.hash': 'The hash of the last deleted entry.',
      'listAudit.total': 'The number of entries on all pages. Null above 10,000 of a person or an actor.',
      'verifyAudit.checkpoint': 'The checkpoint that was presented, and whether the log extends it.',
    },
    calls: {
      'GET /v1/audit': {
        id: 'listAudit',
        about:
          'Lists audit entries, newest first. Ids count 1, 2, 3 … without a gap. A `limit` above 100 ' +
          'means 100, without an error: compare `count` with your `limit`. Dates are RFC 3339 with a ' +
          'time; write the `+` of an offset as `%2B`. `subject_id` and `user_id` find the entries of a ' +
          'person. Only these, and those of an `actor`, are counted up to 10,000: for more, `total` is ' +
          'null, and `total_at_least` is 10,000. A user of an issuer with `audit.own` gets the entries ' +
          'about the own `subject_id`, which can be written as `me`: only `action`, `key_id`, ' +
          '`created_at`, and of `metadata` the members `user`, `user_asserted`, `outcome` and `code`.',
        problems: ['not_found'],
        input: { action: 'key.unwrap', date_from: '2026-11-01T00:00:00Z', limit: 50 },
        output: {
          logs: [
            {
              id: 48211,
              tenant_id: tenantId,
              action: 'key.unwrap',
              key_id: samples.keyId,
              key_version: 3,
              actor: samples.apiKeyId,
              ip_address: '203.0.113.7',
              metadata: { key_version: 3 },
              created_at: '2026-11-20T08:14:33.902Z',
              salt: '9f2c41d07be8365a1c84f0d2a7396e5b',
              hash: entryHash,
            },
          ],
          ...samples.onePage,
        },
      },
      'GET /v1/audit/verify': {
        id: 'verifyAudit',
        about:
          'Recomputes the HMAC and the chaining of every entry, and checks the head, the purge anchors ' +
          'and the stored rows. For a broken chain, the response is 200 with `valid: false`. A call ends ' +
          'after 10 seconds, or earlier if others wait: while `complete` is false, call again with ' +
          '`from_id` set to `next_id`. `checkpoint` is a checkpoint that the log must still extend.',
        input: { from_id: 1 },
        output: {
          valid: true,
          complete: true,
          next_id: null,
          checked: 48211,
          first_id: 1,
          last_id: 48211,
          purged_through: null,
          head: { id: 48211, hash: entryHash },
          errors: [],
          error_count: 0,
          checkpoint: null,
          verified_at: '2026-11-20T09:00:01.244Z',
        },
      },
      'GET /v1/audit/checkpoint': {
        id: 'getCheckpoint',
        about:
          'Returns a signed statement of the head (a C2SP signed note, Ed25519). Keep it outside the ' +
          'service, and pin `verifier_key`: a later `GET /v1/audit/verify?checkpoint=…` finds a log that ' +
          'was rolled back.',
        output: {
          checkpoint: `eaas.audit-chain.v1/${tenantId}\n48210\nTDiP/FNPE9NDD6/bdx7Ut8yhAxKH9fkA1LnOXTyz1wI=\n\n— eaas/${tenantId} …\n`,
          verifier_key: `eaas/${tenantId}+5f0b2c1a+AYKzF0oT…`,
          tenant_id: tenantId,
          id: 48210,
          hash: '4c388ffc534f13d3430dafdb771ed4b7cca1031287f5f900d4b9ce5d3cb3d702',
        },
      },
      'GET /v1/audit/proof': {
        id: 'getAuditProof',
        about:
          'Returns a proof that the service’s public log had a head of this audit log at or after entry ' +
          '`id`: by default the newest proof that is kept (a C2SP tlog-proof). Anyone can verify it ' +
          'offline, with the keys of the log and of its witnesses, that the head existed by the time at ' +
          'which the witnesses signed. The service keeps each proof for 24 hours, and the last of each ' +
          'day for 400 days. 404 if the operator keeps no public log, if `id` is beyond the newest entry, ' +
          'and until the next moment of the log, which the message names.',
        problems: ['not_found'],
        input: { id: 48200 },
        output: {
          proof:
            `c2sp.org/tlog-proof@v1\nextra eyJoYXNoIjoi…\nindex ` +
            `73894\n…\n\neaas.example/log\n73896\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n— ` +
            `eaas.example/log …\n`,
        },
      },
    },
  };
};

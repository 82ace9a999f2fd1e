import type { Calls } from './call.ts';
import { apiKeyId, entryHash, keyId, olderEntryHash, tenantId } from './samples.ts';

export const audit = {
  'GET /v1/audit': {
    id: 'listAudit',
    about:
      'Lists audit entries, newest first. Ids count 1, 2, 3 … without a gap. `limit` is at most 100 and more is taken for 100 without an error: compare `count` with what you asked for. Dates are RFC 3339 with a time; write the `+` of an offset as `%2B`.',
    problems: [],
    example: {
      input: { action: 'key.unwrap', date_from: '2026-11-01T00:00:00Z', limit: 50 },
      output: {
        logs: [
          {
            id: 48211,
            tenant_id: tenantId,
            action: 'key.unwrap',
            key_id: keyId,
            key_version: 3,
            actor: apiKeyId,
            ip_address: '203.0.113.7',
            metadata: { key_version: 3 },
            created_at: '2026-11-20T08:14:33.902Z',
            hash: entryHash,
          },
        ],
        count: 1,
        total: 1,
        limit: 50,
        offset: 0,
      },
    },
  },
  'GET /v1/audit/verify': {
    id: 'verifyAudit',
    about:
      'Recomputes the HMAC and the chaining of every entry, and checks the head, the purge anchors and the stored rows. A broken chain is an answer, 200 with `valid: false`. A call ends after 10 seconds: while `complete` is false, go on with `from_id` set to `next_id`. With `checkpoint`, proves that the log still extends what it once stated.',
    problems: [],
    example: {
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
  },
  'GET /v1/audit/checkpoint': {
    id: 'getCheckpoint',
    about:
      'A signed statement of where the chain stands (a C2SP signed note, Ed25519). Keep it outside of the service: a later `GET /v1/audit/verify?checkpoint=…` shows a log that was rolled back. Pin `verifier_key`.',
    problems: [],
    example: {
      input: {},
      output: {
        checkpoint: `eaas.audit-chain.v1/${tenantId}\n48210\nTDiP/FNPE9NDD6/bdx7Ut8yhAxKH9fkA1LnOXTyz1wI=\n\n— eaas/${tenantId} …\n`,
        verifier_key: `eaas/${tenantId}+5f0b2c1a+AYKzF0oT…`,
        tenant_id: tenantId,
        id: 48210,
        hash: olderEntryHash,
      },
    },
  },
} satisfies Partial<Calls>;

export const usage = {
  'GET /v1/usage': {
    id: 'getUsage',
    about:
      'Operations counted in a month (UTC), the current one where `month` is absent. Batch items count singly. Only encrypt has a quota; null is unlimited.',
    problems: [],
    example: {
      input: { month: '2026-11' },
      output: {
        month: '2026-11',
        operations: { encrypt: 310, decrypt: 1290, 'key.wrap': 18044, 'key.unwrap': 20311 },
        encrypt_quota: 100000,
      },
    },
  },
} satisfies Partial<Calls>;

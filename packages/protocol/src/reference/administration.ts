import {
  apiKeyId,
  apiKeyRecord,
  type Calls,
  entryHash,
  keyId,
  olderEntryHash,
  onePage,
  tenantId,
  token,
} from './samples.ts';

const path = { api_key_id: apiKeyId };

export const apiKeys = {
  'POST /v1/api-keys': {
    id: 'createApiKey',
    about:
      'Creates an API key. Only this response shows `api_key`. The permissions, keys, expiry and origins of the new API key must be within those of the caller, else 403. An API key that is limited to some keys cannot have `audit.read`, `api_keys.manage` or `usage.read`. An API key with `allowed_origins`, for browsers, cannot have `*.manage`, `keys.destroy` or `keys.export`.',
    problems: ['not_found', 'audit_unwritten'],
    input: {
      name: 'web shop',
      permissions: ['encrypt', 'decrypt'],
      key_ids: [keyId],
      expires_at: '2027-08-11T00:00:00Z',
    },
    output: { ...apiKeyRecord, last_used_at: null, api_key: token },
  },
  'GET /v1/api-keys': {
    id: 'listApiKeys',
    about: 'Lists API keys, newest first, including revoked ones. Their tokens are not stored.',
    problems: [],
    input: { limit: 50 },
    output: { api_keys: [apiKeyRecord], ...onePage },
  },
  'GET /v1/api-keys/:api_key_id': {
    id: 'getApiKey',
    about: 'Returns an API key. `last_used_at` is exact to the minute.',
    problems: ['not_found'],
    input: path,
    output: apiKeyRecord,
  },
  'PATCH /v1/api-keys/:api_key_id': {
    id: 'updateApiKey',
    about:
      'Changes the fields that are sent. A change that only removes rights is always allowed. If a change adds any right, all resulting permissions, keys, expiry and origins must be within those of the caller, else 403. The last API key of a tenant with `api_keys.manage` and without an expiry cannot lose that permission or get an expiry here (409). A revoked API key cannot be changed (409).',
    problems: ['not_found', 'conflict', 'audit_unwritten'],
    input: { ...path, name: 'web shop, EU' },
    output: { ...apiKeyRecord, name: 'web shop, EU' },
  },
  'DELETE /v1/api-keys/:api_key_id': {
    id: 'revokeApiKey',
    about:
      'Revokes an API key immediately and permanently. A second call responds with 200 and does nothing. The last API key of a tenant with `api_keys.manage` and without an expiry cannot be revoked here (409).',
    problems: ['not_found', 'conflict', 'audit_unwritten'],
    input: path,
    output: { ...apiKeyRecord, revoked_at: '2026-11-20T09:12:45.310Z' },
  },
} satisfies Partial<Calls>;

export const audit = {
  'GET /v1/audit': {
    id: 'listAudit',
    about:
      'Lists audit entries, newest first. Ids count 1, 2, 3 … without a gap. A `limit` above 100 means 100, without an error: compare `count` with your `limit`. Dates are RFC 3339 with a time; write the `+` of an offset as `%2B`.',
    problems: ['not_found'],
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
      ...onePage,
    },
  },
  'GET /v1/audit/verify': {
    id: 'verifyAudit',
    about:
      'Recomputes the HMAC and the chaining of every entry, and checks the head, the purge anchors and the stored rows. For a broken chain, the response is 200 with `valid: false`. A call ends after 10 seconds, or earlier if other tenants wait: while `complete` is false, call again with `from_id` set to `next_id` and `row` set to `next_row`. With `checkpoint`, proves that the log still extends that checkpoint.',
    problems: [],
    input: { from_id: 1 },
    output: {
      valid: true,
      complete: true,
      next_id: null,
      next_row: null,
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
      'Returns a signed statement of the chain’s head (a C2SP signed note, Ed25519). Keep it outside the service: a later `GET /v1/audit/verify?checkpoint=…` finds a log that was rolled back. Pin `verifier_key`.',
    problems: [],
    input: {},
    output: {
      checkpoint: `eaas.audit-chain.v1/${tenantId}\n48210\nTDiP/FNPE9NDD6/bdx7Ut8yhAxKH9fkA1LnOXTyz1wI=\n\n— eaas/${tenantId} …\n`,
      verifier_key: `eaas/${tenantId}+5f0b2c1a+AYKzF0oT…`,
      tenant_id: tenantId,
      id: 48210,
      hash: olderEntryHash,
    },
  },
} satisfies Partial<Calls>;

export const usage = {
  'GET /v1/usage': {
    id: 'getUsage',
    about:
      'Returns the operations of a month (UTC), by default the current one. Every item of a batch counts. Only encrypt has a quota; null is unlimited.',
    problems: [],
    input: { month: '2026-11' },
    output: {
      month: '2026-11',
      operations: { encrypt: 310, decrypt: 1290, 'key.wrap': 18044, 'key.unwrap': 20311 },
      encrypt_quota: 100000,
    },
  },
} satisfies Partial<Calls>;

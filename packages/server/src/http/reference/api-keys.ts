import type { Calls } from './call.ts';
import { apiKeyId, apiKeyRecord, keyId, token } from './samples.ts';

const path = { api_key_id: apiKeyId };
const fresh = { ...apiKeyRecord, last_used_at: null };

export const apiKeys = {
  'POST /v1/api-keys': {
    id: 'createApiKey',
    about:
      'Creates an API key. `api_key` is shown this once. Nobody gives what they lack: permissions, keys, expiry and origins lie within the caller’s own, else 403. One that is limited to some keys cannot hold `audit.read`, `api_keys.manage` or `usage.read`, and one with `allowed_origins`, for browsers, no `*.manage`, `keys.destroy` or `keys.export`.',
    problems: ['audit_unwritten'],
    example: {
      input: {
        name: 'web shop',
        permissions: ['encrypt', 'decrypt'],
        key_ids: [keyId],
        expires_at: '2027-08-11T00:00:00Z',
      },
      output: { ...fresh, api_key: token },
    },
  },
  'GET /v1/api-keys': {
    id: 'listApiKeys',
    about: 'Lists API keys, newest first, revoked ones too. The API keys themselves are not stored.',
    problems: [],
    example: {
      input: { limit: 50 },
      output: { api_keys: [apiKeyRecord], count: 1, total: 1, limit: 50, offset: 0 },
    },
  },
  'GET /v1/api-keys/:api_key_id': {
    id: 'getApiKey',
    about: 'Shows an API key. `last_used_at` is exact to the minute.',
    problems: ['not_found'],
    example: { input: path, output: apiKeyRecord },
  },
  'PATCH /v1/api-keys/:api_key_id': {
    id: 'updateApiKey',
    about:
      'Changes the fields that are sent. What it gives must lie within the caller’s own, else 403; an API key that was revoked stays so (409).',
    problems: ['not_found', 'conflict', 'audit_unwritten'],
    example: { input: { ...path, name: 'web shop, EU' }, output: { ...apiKeyRecord, name: 'web shop, EU' } },
  },
  'DELETE /v1/api-keys/:api_key_id': {
    id: 'revokeApiKey',
    about:
      'Revokes an API key, at once and for good. Again: 200, and nothing more happens. The last one of a tenant that holds `api_keys.manage` cannot be revoked here (409).',
    problems: ['not_found', 'conflict', 'audit_unwritten'],
    example: { input: path, output: { ...apiKeyRecord, revoked_at: '2026-11-20T09:12:45.310Z' } },
  },
} satisfies Partial<Calls>;

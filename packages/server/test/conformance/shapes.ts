import { expect } from 'vitest';

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const timestampPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const base64Pattern = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const hexPattern = /^[0-9a-f]{64}$/;

export const aUuid: unknown = expect.stringMatching(uuidPattern);
export const aTimestamp: unknown = expect.stringMatching(timestampPattern);
export const aBase64: unknown = expect.stringMatching(base64Pattern);
export const aHash: unknown = expect.stringMatching(hexPattern);
export const aReceipt: unknown = { id: expect.any(Number), hash: aHash };

export function keyRecord(fields: Record<string, unknown> = {}): object {
  return {
    key_id: aUuid,
    name: expect.any(String),
    key_version: 1,
    status: 'active',
    exportable: false,
    intake: false,
    created_at: aTimestamp,
    rotated_at: null,
    rotation_policy: null,
    next_rotation_at: null,
    destroy_at: null,
    min_version: 1,
    ...fields,
  };
}

export function apiKeyRecord(fields: Record<string, unknown> = {}): object {
  return {
    api_key_id: aUuid,
    name: expect.any(String),
    hint: expect.stringMatching(/^[0-9A-Za-z]{4}$/),
    permissions: expect.any(Array),
    key_ids: null,
    allowed_origins: null,
    expires_at: null,
    created_at: aTimestamp,
    created_by: expect.any(String),
    revoked_at: null,
    last_used_at: null,
    ...fields,
  };
}

import type { Calls } from './call.ts';
import { keyId, keyRecord } from './samples.ts';

const path = { key_id: keyId };
const disabled = { ...keyRecord, status: 'disabled', next_rotation_at: null } as const;

export const keys = {
  'POST /v1/keys': {
    id: 'createKey',
    about:
      'Creates a key, version 1, active. `exportable` can never be changed afterwards. Names are unique among keys that are not destroyed; everywhere else a key goes by its `key_id`.',
    problems: ['name_taken', 'audit_unwritten'],
    example: {
      input: { name: 'patients', rotation_policy: { interval_days: 90 } },
      output: {
        ...keyRecord,
        key_version: 1,
        rotated_at: null,
        next_rotation_at: '2026-11-09T09:30:00.000Z',
      },
    },
  },
  'GET /v1/keys': {
    id: 'listKeys',
    about:
      'Lists keys, newest first. An API key that is limited to some keys sees those. `name` matches exactly.',
    problems: [],
    example: {
      input: { status: 'active', limit: 50 },
      output: { keys: [keyRecord], count: 1, total: 1, limit: 50, offset: 0 },
    },
  },
  'GET /v1/keys/:key_id': {
    id: 'getKey',
    about:
      'Shows a key and its versions, with what still uses an older one. The counts are at most a minute late.',
    problems: ['not_found'],
    example: {
      input: path,
      output: {
        ...keyRecord,
        versions: [
          {
            key_version: 3,
            created_at: '2026-11-02T04:00:00.117Z',
            wraps: 1204,
            unwraps: 311,
            last_unwrap_at: '2026-11-20T08:14:00.000Z',
          },
        ],
      },
    },
  },
  'POST /v1/keys/:key_id/rotate': {
    id: 'rotateKey',
    about:
      'Makes a new version, which wraps from now on; older ones still unwrap. With `key_version`, the version that you believe to be the newest, a retry does not rotate twice (409).',
    problems: ['not_found', 'key_state', 'audit_unwritten'],
    example: { input: { ...path, key_version: 2 }, output: keyRecord },
  },
  'PUT /v1/keys/:key_id/rotation-policy': {
    id: 'setRotationPolicy',
    about: 'Has an active or disabled key rotated every so many days, or no longer (null).',
    problems: ['not_found', 'key_state', 'audit_unwritten'],
    example: { input: { ...path, interval_days: 90 }, output: keyRecord },
  },
  'POST /v1/keys/:key_id/disable': {
    id: 'disableKey',
    about:
      'Disables an active key: it no longer wraps, encrypts, hashes or rotates. What it sealed can still be unwrapped and decrypted.',
    problems: ['not_found', 'key_state', 'audit_unwritten'],
    example: { input: path, output: disabled },
  },
  'POST /v1/keys/:key_id/enable': {
    id: 'enableKey',
    about: 'Makes a disabled key active again.',
    problems: ['not_found', 'key_state', 'audit_unwritten'],
    example: { input: path, output: keyRecord },
  },
  'DELETE /v1/keys/:key_id': {
    id: 'destroyKey',
    about:
      'Destroys a disabled key after days of grace; until then it can be restored. Then the material of all its versions is erased, and what it sealed, and its fingerprints, are lost for good. With `grace_days=0` at once.',
    problems: ['not_found', 'key_state', 'audit_unwritten'],
    example: {
      input: { ...path, grace_days: 30 },
      output: { ...disabled, status: 'pending_destruction', destroy_at: '2026-12-20T09:30:00.000Z' },
    },
  },
  'POST /v1/keys/:key_id/restore': {
    id: 'restoreKey',
    about: 'Takes back a destruction that is pending. The key is disabled afterwards.',
    problems: ['not_found', 'key_state', 'audit_unwritten'],
    example: { input: path, output: disabled },
  },
} satisfies Partial<Calls>;

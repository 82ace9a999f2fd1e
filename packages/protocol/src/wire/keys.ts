// The life of a key as calls, from its creation to its destruction: their schemas, and what the reference says about them.
import * as z from 'zod/mini';
import type { Endpoints, Group } from './endpoint.ts';
import { limits } from './limits.ts';
import { count, integer, name, page, paging, time, uuid, wholeNumber } from './primitives.ts';
import { samples } from './samples.ts';

const keyStatus = z.enum(['active', 'disabled', 'pending_destruction', 'destroyed']);
const intervalDays = integer(1, limits.rotationDays);
const subjectsRule = z.enum(['optional', 'required']);
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
  min_version: count,
});

/** A call that returns the changed key. */
const change = <P extends 'keys.manage' | 'keys.destroy'>(permission: P, summary: string) => ({
  permission,
  summary,
  output: keyRecord,
});

export const keys = {
  'POST /v1/keys': {
    ...change('keys.manage', 'Create a key'),
    body: z.strictObject({
      name,
      exportable: z.nullish(z.boolean()),
      intake: z.nullish(z.boolean()),
      subjects: z.optional(subjectsRule),
      rotation_policy: z.nullish(rotationPolicy),
    }),
    status: 201,
    creates: 'key_id',
    unlimited: true,
  },
  'GET /v1/keys': {
    permission: 'keys.read',
    summary: 'List keys',
    snapshot: true,
    cost: 16,
    query: z.strictObject({ ...paging(), status: z.optional(keyStatus), name: z.optional(name) }),
    output: z.object({ keys: z.array(keyRecord), ...page }),
  },
  'GET /v1/keys/:key_id': {
    permission: 'keys.read',
    summary: 'Show a key and its versions',
    snapshot: true,
    cost: 16,
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
  },
  'GET /v1/keys/:key_id/public-key': {
    permission: 'encrypt',
    summary: 'Show the public key of a key',
    output: z.object({
      key_id: uuid,
      key_version: count,
      intake_public_key: z.nullable(z.string()),
    }),
    maxAge: 300,
  },
  'POST /v1/keys/:key_id/rotate': {
    ...change('keys.manage', 'Make a new version of a key'),
    body: z.strictObject({ key_version: z.optional(z.int()) }),
  },
  'PUT /v1/keys/:key_id/rotation-policy': {
    ...change('keys.manage', 'Set the rotation policy'),
    body: z.strictObject({ interval_days: z.nullable(intervalDays) }),
  },
  'PUT /v1/keys/:key_id/min-version': {
    ...change('keys.manage', 'Refuse older versions of a key'),
    body: z.strictObject({ key_version: integer(1, limits.keyVersions) }),
  },
  'POST /v1/keys/:key_id/disable': change('keys.manage', 'Disable a key: it can still decrypt'),
  'POST /v1/keys/:key_id/enable': change('keys.manage', 'Enable a disabled key'),
  'DELETE /v1/keys/:key_id': {
    ...change('keys.destroy', 'Destroy a disabled key'),
    query: z.strictObject({ grace_days: z.optional(wholeNumber(0, limits.graceDays)) }),
    status: 202,
  },
  'POST /v1/keys/:key_id/restore': change('keys.destroy', 'Cancel a pending destruction'),
} satisfies Endpoints;

/** What the reference says about these calls. */
export const aboutKeys = (): Group<typeof keys> => {
  const { keyId, onePage } = samples;
  const sample = {
    key_id: keyId,
    name: 'patients',
    key_version: 3,
    status: 'active',
    exportable: false,
    intake: false,
    created_at: '2026-08-11T09:30:00.000Z',
    rotated_at: '2026-11-02T04:00:00.117Z',
    rotation_policy: { interval_days: 90 },
    next_rotation_at: '2027-01-31T04:00:00.117Z',
    destroy_at: null,
    min_version: 1,
  } as const;
  const disabled = { ...sample, status: 'disabled', next_rotation_at: null } as const;
  return {
    title: 'Keys',
    about: 'Create, rotate, disable and destroy.',
    fields: {
      destroy_at: 'The time when the key material is erased. Null if no destruction is pending.',
      exportable: 'Whether the key can be exported. This never changes.',
      grace_days: 'Days until the material is erased; 30 by default.',
      intake: 'Whether writers without credentials can encrypt with the public key. This never changes.',
      intake_public_key:
        'The public key for writers without an API key. Null if the key is not an intake key.',
      interval_days: 'Days between two rotations. Null turns rotation off.',
      last_unwrap_at: 'The time of the last unwrap under this version.',
      min_version: 'The oldest version whose wrapped keys open.',
      next_rotation_at: 'The time of the next rotation. Null if no rotation is planned.',
      rotated_at: 'The time of the last rotation. Null if the key was never rotated.',
      rotation_policy: 'The interval of automatic rotation. Null if there is none.',
      status: 'The state of the key.',
      unwraps: 'How often this version unwrapped a data key.',
      versions_total: 'The number of versions that the key has.',
      wraps: 'How often this version wrapped a data key.',
    },
    calls: {
      'POST /v1/keys': {
        id: 'createKey',
        about:
          'Creates an active key with version 1. `exportable`, `intake` and `subjects` can never be ' +
          'changed. With `subjects: "required"`, every new data key must name a `subject`. An `intake` ' +
          'key also opens what writers without credentials encrypted with its public key, so treat ' +
          'everything under it as input from outside. Names are unique among keys that are not destroyed.',
        problems: ['name_taken'],
        input: { name: 'patients', rotation_policy: { interval_days: 90 } },
        output: {
          ...sample,
          key_version: 1,
          rotated_at: null,
          next_rotation_at: '2026-11-09T09:30:00.000Z',
        },
      },
      'GET /v1/keys': {
        id: 'listKeys',
        about:
          'Lists keys, newest first. An API key that is limited to some keys sees only those. `name` matches exactly.',
        input: { status: 'active', limit: 50 },
        output: { keys: [sample], ...onePage },
      },
      'GET /v1/keys/:key_id': {
        id: 'getKey',
        about:
          'Returns a key and a page of its versions, newest first, with the use of each, at most a minute ' +
          'old. `limit` is the number of versions: 100 by default; above 1,000 it means 1,000.',
        input: { limit: 1 },
        output: {
          ...sample,
          versions_total: 3,
          limit: 1,
          offset: 0,
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
      'GET /v1/keys/:key_id/public-key': {
        id: 'getPublicKey',
        about:
          'Returns the public key with which writers without credentials encrypt, for an active key. ' +
          'Clients can cache the response for five minutes.',
        problems: ['key_state'],
        output: { key_id: keyId, key_version: 3, intake_public_key: null },
      },
      'POST /v1/keys/:key_id/rotate': {
        id: 'rotateKey',
        about:
          'Creates a new version, which wraps all further data keys. Older versions still unwrap. Send ' +
          'the current `key_version` so that a retry does not rotate twice (409). More than 10,000 ' +
          'versions are 409.',
        problems: ['key_state', 'conflict'],
        input: { key_version: 2 },
        output: sample,
      },
      'PUT /v1/keys/:key_id/rotation-policy': {
        id: 'setRotationPolicy',
        about:
          'Sets the rotation policy of an active or disabled key; null removes it. The server rotates the ' +
          'key `interval_days` days after the policy was set, and `interval_days` days after each ' +
          'rotation. A call with the interval that is already set changes nothing. A disabled key is not ' +
          'rotated: a rotation that is due waits until the key is enabled.',
        problems: ['key_state'],
        input: { interval_days: 90 },
        output: sample,
      },
      'PUT /v1/keys/:key_id/min-version': {
        id: 'setMinVersion',
        about:
          'Refuses the wrapped keys of versions before `key_version` from now on (409), those of writers ' +
          'without credentials too. For an active key with a version that somebody may know: first ' +
          're-encrypt what is under it. `key_version` is at most the newest version, and can be lowered.',
        problems: ['key_state'],
        input: { key_version: 3 },
        output: { ...sample, min_version: 3 },
      },
      'POST /v1/keys/:key_id/disable': {
        id: 'disableKey',
        about:
          'Disables an active key: it no longer wraps, encrypts, hashes or rotates. It still unwraps and decrypts.',
        problems: ['key_state'],
        output: disabled,
      },
      'POST /v1/keys/:key_id/enable': {
        id: 'enableKey',
        about: 'Makes a disabled key active again.',
        problems: ['key_state'],
        output: sample,
      },
      'DELETE /v1/keys/:key_id': {
        id: 'destroyKey',
        about:
          'Destroys a disabled key after `grace_days` days; until then it can be restored. Destruction ' +
          'erases the material of all versions: nothing that was encrypted or fingerprinted under the key ' +
          'can be used again. `grace_days=0` destroys the key at once.',
        problems: ['key_state'],
        input: { grace_days: 30 },
        output: { ...disabled, status: 'pending_destruction', destroy_at: '2026-12-20T09:30:00.000Z' },
      },
      'POST /v1/keys/:key_id/restore': {
        id: 'restoreKey',
        about: 'Cancels a pending destruction. The key is then disabled.',
        problems: ['key_state'],
        output: disabled,
      },
    },
  };
};

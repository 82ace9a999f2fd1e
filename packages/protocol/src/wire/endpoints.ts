import type * as z from 'zod/mini';
import type { Permission } from './permissions.ts';
import * as apiKeys from './api-keys.ts';
import * as audit from './audit.ts';
import * as batch from './batch.ts';
import * as crypto from './crypto.ts';
import * as keys from './keys.ts';

/** An endpoint: the permission that it needs, its input and its output. */
export interface Endpoint extends Schemas, Flags {
  /** The permission that the API key needs. */
  readonly permission: Permission;
  readonly summary: string;
}

interface Schemas {
  readonly body?: z.ZodMiniObject;
  readonly query?: z.ZodMiniObject;
  readonly item?: z.ZodMiniObject;
  readonly output: z.ZodMiniObject;
}

interface Flags {
  /** The HTTP status of a successful response, if it is not 200. */
  readonly status?: 201 | 202;
  /** If true, the endpoint refuses calls of tenants that are envelope-only. */
  readonly serverMode?: true;
  /** If true, the endpoint refuses API keys that are limited to some keys. */
  readonly unlimited?: true;
  /** If true, the response contains a key or a plaintext, so caches must not store the response. */
  readonly secret?: true;
  /** The number of seconds for which the client can cache the response. */
  readonly maxAge?: number;
}

function call<S extends Schemas>(permission: Permission, summary: string, schemas: S, flags: Flags = {}) {
  return { permission, summary, ...schemas, ...flags };
}

/** All endpoints of the API, by method and path. */
export const endpoints = {
  'POST /v1/encrypt': call('encrypt', 'Encrypt a text under a key', crypto.encrypt, { serverMode: true }),
  'POST /v1/decrypt': call('decrypt', 'Decrypt a ciphertext', crypto.decrypt, {
    serverMode: true,
    secret: true,
  }),
  'POST /v1/hash': call('encrypt', 'Fingerprint a value, to search for it', crypto.hash),
  'POST /v1/hash/blind': call('encrypt', 'Fingerprint values that the service cannot see', crypto.blindHash),

  'POST /v1/keys': call('keys.manage', 'Create a key', keys.createKey, {
    status: 201,
    unlimited: true,
  }),
  'GET /v1/keys': call('keys.read', 'List keys', keys.listKeys),
  'GET /v1/keys/:key_id': call('keys.read', 'Show a key and its versions', keys.getKey),
  'GET /v1/keys/:key_id/public-key': call('encrypt', 'Show the public keys of a key', keys.getPublicKey, {
    maxAge: 300,
  }),
  'DELETE /v1/keys/:key_id': call('keys.destroy', 'Destroy a disabled key', keys.destroyKey, { status: 202 }),
  'POST /v1/keys/:key_id/rotate': call('keys.manage', 'Make a new version of a key', keys.rotateKey),
  'POST /v1/keys/:key_id/disable': call('keys.manage', 'Disable a key: it can still decrypt', keys.changeKey),
  'POST /v1/keys/:key_id/enable': call('keys.manage', 'Enable a disabled key', keys.changeKey),
  'POST /v1/keys/:key_id/restore': call('keys.destroy', 'Cancel a pending destruction', keys.changeKey),
  'PUT /v1/keys/:key_id/rotation-policy': call('keys.manage', 'Set the rotation policy', keys.setPolicy),
  'POST /v1/keys/:key_id/export': call('keys.export', 'Export a key', keys.exportKey, { secret: true }),
  'POST /v1/keys/:key_id/wrap': call('encrypt', 'Wrap a data key', crypto.wrap),
  'POST /v1/keys/:key_id/unwrap': call('decrypt', 'Unwrap a data key', crypto.unwrap, { secret: true }),
  'POST /v1/keys/:key_id/rewrap': call('encrypt', 'Wrap a data key under the newest version', crypto.rewrap),

  'POST /v1/batch/wrap': call('encrypt', 'Wrap many data keys', batch.batchWrap),
  'POST /v1/batch/unwrap': call('decrypt', 'Unwrap many data keys', batch.batchUnwrap, { secret: true }),
  'POST /v1/batch/rewrap': call('encrypt', 'Rewrap many data keys', batch.batchRewrap),
  'POST /v1/batch/hash': call('encrypt', 'Fingerprint many values', batch.batchHash),

  'GET /v1/audit': call('audit.read', 'List audit entries', audit.listAudit),
  'GET /v1/audit/verify': call('audit.read', 'Verify the audit chain', audit.verifyAudit),
  'GET /v1/audit/checkpoint': call('audit.read', 'Sign the head of the audit chain', audit.getCheckpoint),

  'POST /v1/api-keys': call('api_keys.manage', 'Create an API key', apiKeys.createApiKey, {
    status: 201,
    secret: true,
  }),
  'GET /v1/api-keys': call('api_keys.manage', 'List API keys', apiKeys.listApiKeys),
  'GET /v1/api-keys/:api_key_id': call('api_keys.manage', 'Show an API key', apiKeys.getApiKey),
  'PATCH /v1/api-keys/:api_key_id': call('api_keys.manage', 'Change an API key', apiKeys.updateApiKey),
  'DELETE /v1/api-keys/:api_key_id': call('api_keys.manage', 'Revoke an API key', apiKeys.revokeApiKey),

  'GET /v1/usage': call('usage.read', 'Count the operations of a month', audit.getUsage),
} satisfies Record<string, Endpoint>;

/** An endpoint's method and path, for example `POST /v1/keys/:key_id/wrap`. */
export type Route = keyof typeof endpoints;

type Part<R extends Route, Name extends 'body' | 'query'> = (typeof endpoints)[R] extends {
  readonly [N in Name]: infer Schema extends z.ZodMiniType;
}
  ? Fields<z.output<Schema>>
  : unknown;

/**
 * Omits schemas without fields. For such a schema, zod infers Record<string, never>, and `Input` could then have no
 * fields at all.
 */
type Fields<Value> = string extends keyof Value ? unknown : Value;

type PathPart<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { [N in Name]: string } & PathPart<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? { [N in Name]: string }
    : unknown;

/** The input of a call: the fields of its path, query and body. */
export type Input<R extends Route> = PathPart<R> & Part<R, 'query'> & Part<R, 'body'>;

/** The type of one item in a batch request. */
export type Item<R extends Route> = (typeof endpoints)[R] extends {
  readonly item: infer Schema extends z.ZodMiniType;
}
  ? z.output<Schema>
  : never;

/** The body of a call's response. */
export type Output<R extends Route> = z.output<(typeof endpoints)[R]['output']>;

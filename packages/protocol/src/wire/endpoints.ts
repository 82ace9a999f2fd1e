import type * as z from 'zod/mini';
import type { Permission } from './permissions.ts';
import * as apiKeys from './api-keys.ts';
import * as audit from './audit.ts';
import * as batch from './batch.ts';
import * as crypto from './crypto.ts';
import * as keys from './keys.ts';
import * as usage from './usage.ts';

/** What an endpoint is: who may call it, what it takes, what it answers. */
export interface Endpoint {
  /** What the API key must hold. */
  readonly permission: Permission;
  /** One line for people. */
  readonly summary: string;
  readonly body?: z.ZodMiniObject;
  readonly query?: z.ZodMiniObject;
  /** Of a batch: what each item must be. */
  readonly item?: z.ZodMiniObject;
  readonly output: z.ZodMiniObject;
  /** Of the answer; 200 where absent. */
  readonly status?: 201 | 202;
  /** Refused on an envelope-only tenant. */
  readonly serverMode?: true;
  /** The answer carries a key or a plaintext: it must not be stored on its way. */
  readonly secret?: true;
}

/** The whole API: each route by its method and path, as it is called. */
export const endpoints = {
  'POST /v1/encrypt': {
    permission: 'encrypt',
    summary: 'Encrypt a text under a key',
    serverMode: true,
    ...crypto.encrypt,
  },
  'POST /v1/decrypt': {
    permission: 'decrypt',
    summary: 'Decrypt a ciphertext',
    serverMode: true,
    secret: true,
    ...crypto.decrypt,
  },
  'POST /v1/hash': {
    permission: 'encrypt',
    summary: 'Fingerprint a value, to search for it',
    ...crypto.hash,
  },

  'POST /v1/keys': { permission: 'keys.manage', summary: 'Create a key', status: 201, ...keys.createKey },
  'GET /v1/keys': { permission: 'keys.read', summary: 'List keys', ...keys.listKeys },
  'GET /v1/keys/:key_id': { permission: 'keys.read', summary: 'Show a key and its versions', ...keys.getKey },
  'DELETE /v1/keys/:key_id': {
    permission: 'keys.destroy',
    summary: 'Destroy a disabled key, after days of grace',
    status: 202,
    ...keys.destroyKey,
  },
  'POST /v1/keys/:key_id/rotate': {
    permission: 'keys.manage',
    summary: 'Make a new version of a key',
    ...keys.rotateKey,
  },
  'POST /v1/keys/:key_id/disable': {
    permission: 'keys.manage',
    summary: 'Disable a key: what it sealed can still be opened',
    ...keys.changeKey,
  },
  'POST /v1/keys/:key_id/enable': {
    permission: 'keys.manage',
    summary: 'Enable a disabled key',
    ...keys.changeKey,
  },
  'POST /v1/keys/:key_id/restore': {
    permission: 'keys.destroy',
    summary: 'Take back a destruction that is pending',
    ...keys.changeKey,
  },
  'PUT /v1/keys/:key_id/rotation-policy': {
    permission: 'keys.manage',
    summary: 'Have a key rotated at an interval',
    ...keys.setRotationPolicy,
  },
  'POST /v1/keys/:key_id/export': {
    permission: 'keys.export',
    summary: 'Export an exportable key, encrypted to an RSA key',
    secret: true,
    ...keys.exportKey,
  },
  'POST /v1/keys/:key_id/wrap': { permission: 'encrypt', summary: 'Wrap a data key', ...crypto.wrap },
  'POST /v1/keys/:key_id/unwrap': {
    permission: 'decrypt',
    summary: 'Unwrap a data key',
    secret: true,
    ...crypto.unwrap,
  },
  'POST /v1/keys/:key_id/rewrap': {
    permission: 'encrypt',
    summary: 'Wrap a data key anew under the newest version',
    ...crypto.rewrap,
  },

  'POST /v1/batch/wrap': { permission: 'encrypt', summary: 'Wrap many data keys', ...batch.batchWrap },
  'POST /v1/batch/unwrap': {
    permission: 'decrypt',
    summary: 'Unwrap many data keys',
    secret: true,
    ...batch.batchUnwrap,
  },
  'POST /v1/batch/rewrap': { permission: 'encrypt', summary: 'Rewrap many data keys', ...batch.batchRewrap },
  'POST /v1/batch/hash': { permission: 'encrypt', summary: 'Fingerprint many values', ...batch.batchHash },

  'GET /v1/audit': { permission: 'audit.read', summary: 'List audit entries', ...audit.listAudit },
  'GET /v1/audit/verify': {
    permission: 'audit.read',
    summary: 'Verify the audit chain',
    ...audit.verifyAudit,
  },
  'GET /v1/audit/checkpoint': {
    permission: 'audit.read',
    summary: 'A signed statement of where the audit chain stands',
    ...audit.getCheckpoint,
  },

  'POST /v1/api-keys': {
    permission: 'api_keys.manage',
    summary: 'Create an API key',
    status: 201,
    secret: true,
    ...apiKeys.createApiKey,
  },
  'GET /v1/api-keys': { permission: 'api_keys.manage', summary: 'List API keys', ...apiKeys.listApiKeys },
  'GET /v1/api-keys/:api_key_id': {
    permission: 'api_keys.manage',
    summary: 'Show an API key',
    ...apiKeys.getApiKey,
  },
  'PATCH /v1/api-keys/:api_key_id': {
    permission: 'api_keys.manage',
    summary: 'Change an API key',
    ...apiKeys.updateApiKey,
  },
  'DELETE /v1/api-keys/:api_key_id': {
    permission: 'api_keys.manage',
    summary: 'Revoke an API key',
    ...apiKeys.revokeApiKey,
  },

  'GET /v1/usage': { permission: 'usage.read', summary: 'Operations counted in a month', ...usage.getUsage },
} as const satisfies Record<string, Endpoint>;

/** A method and a path, exactly as in the table: `POST /v1/keys/:key_id/wrap`. */
export type Route = keyof typeof endpoints;

type Part<R extends Route, Name extends 'body' | 'query'> = (typeof endpoints)[R] extends {
  readonly [N in Name]: infer Schema extends z.ZodMiniType;
}
  ? Fields<z.output<Schema>>
  : unknown;

/** An object without fields says nothing; as Record<string, never> it would forbid those of the path beside it. */
type Fields<Value> = string extends keyof Value ? unknown : Value;

type PathPart<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { [N in Name]: string } & PathPart<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? { [N in Name]: string }
    : unknown;

/** All that a call takes: what stands in its path, its query and its body, side by side. */
export type Input<R extends Route> = PathPart<R> & Part<R, 'query'> & Part<R, 'body'>;

/** One item of a batch. */
export type Item<R extends Route> = (typeof endpoints)[R] extends {
  readonly item: infer Schema extends z.ZodMiniType;
}
  ? z.output<Schema>
  : never;

/** What a call answers. */
export type Output<R extends Route> = z.output<(typeof endpoints)[R]['output']>;

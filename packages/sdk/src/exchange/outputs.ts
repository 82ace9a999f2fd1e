import type { Output, Problem, Route } from '@eaas/protocol/wire';
import { type AnyKind, hasKind, isObject, type Kind } from './kinds.ts';

type BatchRoute = Extract<Route, `POST /v1/batch/${string}`>;
type Result<R extends BatchRoute> = Exclude<Output<R>['results'][number], { readonly error: Problem }>;

type Kinds = { readonly [R in Exclude<Route, BatchRoute>]: Kind<Output<R>> };
type ResultKinds = { readonly [R in BatchRoute]: Kind<Result<R>> };

const keyRecord = {
  key_id: 'text',
  name: 'text',
  key_version: 'count',
  status: 'text',
  exportable: 'truth',
  intake: 'truth',
  created_at: 'text',
  rotated_at: ['text', null],
  rotation_policy: [{ interval_days: 'count' }, null],
  next_rotation_at: ['text', null],
  destroy_at: ['text', null],
} as const;

const apiKeyRecord = {
  api_key_id: 'text',
  name: 'text',
  hint: 'text',
  permissions: ['text'],
  key_ids: [['text'], null],
  allowed_origins: [['text'], null],
  expires_at: ['text', null],
  created_at: 'text',
  created_by: 'text',
  revoked_at: ['text', null],
  last_used_at: ['text', null],
} as const;

const page = { count: 'count', total: 'count', limit: 'count', offset: 'count' } as const;
const position = { id: 'count', hash: 'text' } as const;
const usedKey = { key_id: 'text', key_version: 'count' } as const;
const wrapped = { wrapped_key: 'text', ...usedKey } as const;
const unwrapped = { dek: 'text', ...usedKey } as const;
const rewrapped = { ...wrapped, rewrapped: 'truth' } as const;
const hashed = { hash: 'hash', key_id: 'text' } as const;

const kinds: Kinds = {
  'POST /v1/encrypt': { ciphertext: 'text', iv: 'text', ...wrapped },
  'POST /v1/decrypt': { plaintext: 'text' },
  'POST /v1/hash': hashed,
  'POST /v1/hash/blind': { key_id: 'text', evaluated: ['text'], proof: 'text', public_key: 'text' },
  'POST /v1/keys': keyRecord,
  'GET /v1/keys': { keys: [keyRecord], ...page },
  'GET /v1/keys/:key_id': {
    ...keyRecord,
    versions_total: 'count',
    limit: 'count',
    offset: 'count',
    versions: [
      {
        key_version: 'count',
        created_at: 'text',
        wraps: 'count',
        unwraps: 'count',
        last_unwrap_at: ['text', null],
      },
    ],
  },
  'GET /v1/keys/:key_id/public-key': {
    ...usedKey,
    intake_public_key: ['text', null],
    hash_public_key: 'text',
  },
  'DELETE /v1/keys/:key_id': keyRecord,
  'POST /v1/keys/:key_id/rotate': keyRecord,
  'POST /v1/keys/:key_id/disable': keyRecord,
  'POST /v1/keys/:key_id/enable': keyRecord,
  'POST /v1/keys/:key_id/restore': keyRecord,
  'PUT /v1/keys/:key_id/rotation-policy': keyRecord,
  'POST /v1/keys/:key_id/export': {
    tenant_id: 'text',
    key_id: 'text',
    versions: [{ key_version: 'count', encrypted: 'text' }],
    next_version: ['count', null],
    hash_key: 'text',
  },
  'POST /v1/keys/:key_id/wrap': wrapped,
  'POST /v1/keys/:key_id/unwrap': unwrapped,
  'POST /v1/keys/:key_id/rewrap': rewrapped,
  'GET /v1/audit': {
    logs: [
      {
        ...position,
        tenant_id: 'text',
        action: 'text',
        key_id: ['text', null],
        key_version: ['count', null],
        actor: 'text',
        ip_address: ['text', null],
        metadata: 'object',
        created_at: 'text',
      },
    ],
    ...page,
  },
  'GET /v1/audit/verify': {
    valid: ['truth', null],
    complete: 'truth',
    next_id: ['count', null],
    next_row: ['text', null],
    checked: 'count',
    first_id: ['count', null],
    last_id: ['count', null],
    purged_through: [position, null],
    head: position,
    errors: [{ id: ['count', null], reason: 'text' }],
    error_count: 'count',
    checkpoint: [{ ...position, valid: 'truth' }, null],
    verified_at: 'text',
  },
  'GET /v1/audit/checkpoint': { checkpoint: 'text', verifier_key: 'text', tenant_id: 'text', ...position },
  'POST /v1/api-keys': { ...apiKeyRecord, api_key: 'text' },
  'GET /v1/api-keys': { api_keys: [apiKeyRecord], ...page },
  'GET /v1/api-keys/:api_key_id': apiKeyRecord,
  'PATCH /v1/api-keys/:api_key_id': apiKeyRecord,
  'DELETE /v1/api-keys/:api_key_id': apiKeyRecord,
  'GET /v1/usage': {
    month: 'text',
    operations: { encrypt: 'count', decrypt: 'count', 'key.wrap': 'count', 'key.unwrap': 'count' },
    encrypt_quota: ['count', null],
  },
};

const resultKinds: ResultKinds = {
  'POST /v1/batch/wrap': wrapped,
  'POST /v1/batch/unwrap': unwrapped,
  'POST /v1/batch/rewrap': rewrapped,
  'POST /v1/batch/hash': hashed,
};

const refused = { error: { code: 'name', detail: 'text', status: 'count' } } as const;

/** Returns whether a response has every member of the route's output. Ignores other members. */
export function isOutput<R extends Route>(route: R, output: unknown): output is Output<R> {
  const resultKind = (resultKinds as Partial<Record<Route, AnyKind>>)[route];
  if (!resultKind) return hasKind(output, kinds[route as keyof Kinds]);
  const { results } = Object(output) as { results?: unknown };
  return (
    Array.isArray(results) &&
    results.every((result) => hasKind(result, isObject(result) && 'error' in result ? refused : resultKind))
  );
}

interface Named {
  readonly key_id?: string;
  readonly api_key_id?: string;
}

/**
 * Returns false if the response has another key id or API key id than the request. A faulty proxy cache can cause this,
 * because it can return the response to another request.
 */
export function namesSameKeys(request: object, response: object): boolean {
  const { items = [request] } = request as { items?: readonly Named[] };
  const { results = [response] } = response as { results?: readonly Named[] };
  return items.every((item: Named, index) => {
    const result: Named = results[index] ?? {};
    return isSameId(item.key_id, result.key_id) && isSameId(item.api_key_id, result.api_key_id);
  });
}

const isSameId = (asked: string | undefined, received: string | undefined): boolean =>
  asked === undefined || received === undefined || asked.toLowerCase() === received;

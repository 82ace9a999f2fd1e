import type { Input, Item, Output, Route } from '@eaas/protocol/wire';
import { createApiKey, getApiKey, listApiKeys, revokeApiKey, updateApiKey } from './api-keys.ts';
import { listAudit } from './audit.ts';
import type { Call } from './call.ts';
import { getCheckpoint } from './checkpoint.ts';
import { batchHash, batchRewrap, batchUnwrap, batchWrap, hash, rewrap, unwrap, wrap } from './data-keys.ts';
import { exportKey } from './export-key.ts';
import {
  destroyKey,
  disableKey,
  enableKey,
  restoreKey,
  rotateKey,
  setRotationPolicy,
} from './key-changes.ts';
import { createKey, getKey, listKeys } from './keys.ts';
import type { Refusal } from './refusal.ts';
import { decrypt, encrypt } from './server-mode.ts';
import { getUsage } from './usage.ts';
import { verifyAudit } from './verify.ts';

type Answer<T> = T | Promise<T>;
type Single<R extends Route> = (call: Call, input: Input<R>) => Answer<Output<R>>;

/** Takes the items that are well-formed, and answers each or says why not. */
type Batch<R extends BatchRoute> = (
  call: Call,
  input: { readonly items: readonly Item<R>[] },
) => Answer<{ results: (Output<R>['results'][number] | Refusal)[] }>;

type BatchRoute = { [R in Route]: [Item<R>] extends [never] ? never : R }[Route];

/** What each route does. */
export const operations: { readonly [R in Route]: R extends BatchRoute ? Batch<R> : Single<R> } = {
  'POST /v1/encrypt': encrypt,
  'POST /v1/decrypt': decrypt,
  'POST /v1/hash': hash,
  'POST /v1/keys': createKey,
  'GET /v1/keys': listKeys,
  'GET /v1/keys/:key_id': getKey,
  'DELETE /v1/keys/:key_id': destroyKey,
  'POST /v1/keys/:key_id/rotate': rotateKey,
  'POST /v1/keys/:key_id/disable': disableKey,
  'POST /v1/keys/:key_id/enable': enableKey,
  'POST /v1/keys/:key_id/restore': restoreKey,
  'PUT /v1/keys/:key_id/rotation-policy': setRotationPolicy,
  'POST /v1/keys/:key_id/export': exportKey,
  'POST /v1/keys/:key_id/wrap': wrap,
  'POST /v1/keys/:key_id/unwrap': unwrap,
  'POST /v1/keys/:key_id/rewrap': rewrap,
  'POST /v1/batch/wrap': batchWrap,
  'POST /v1/batch/unwrap': batchUnwrap,
  'POST /v1/batch/rewrap': batchRewrap,
  'POST /v1/batch/hash': batchHash,
  'GET /v1/audit': listAudit,
  'GET /v1/audit/verify': verifyAudit,
  'GET /v1/audit/checkpoint': getCheckpoint,
  'POST /v1/api-keys': createApiKey,
  'GET /v1/api-keys': listApiKeys,
  'GET /v1/api-keys/:api_key_id': getApiKey,
  'PATCH /v1/api-keys/:api_key_id': updateApiKey,
  'DELETE /v1/api-keys/:api_key_id': revokeApiKey,
  'GET /v1/usage': getUsage,
};

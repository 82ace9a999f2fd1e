import type { Input, Item, Output, Route } from '@eaas/protocol/wire';
import type { Caller } from '../caller.ts';
import type { Refusal } from '../refusal.ts';
import type { Service } from '../service.ts';
import { revokeApiKey, updateApiKey } from './change-api-key.ts';
import { createApiKey } from './create-api-key.ts';
import { createKey } from './create-key.ts';
import { decrypt } from './decrypt.ts';
import { destroyKey, restoreKey } from './destruction.ts';
import { disableKey, enableKey } from './enable-disable.ts';
import { encrypt } from './encrypt.ts';
import { exportKey } from './export-key.ts';
import { getCheckpoint } from './get-checkpoint.ts';
import { batchHash, hash } from './hash.ts';
import { listAudit } from './list-audit.ts';
import { batchRewrap, rewrap } from './rewrap.ts';
import { rotateKey, setRotationPolicy } from './rotation.ts';
import { getApiKey, listApiKeys } from './show-api-keys.ts';
import { getKey, listKeys } from './show-keys.ts';
import { getUsage } from './show-usage.ts';
import { batchUnwrap, unwrap } from './unwrap.ts';
import { verifyAudit } from './verify-audit.ts';
import { batchWrap, wrap } from './wrap.ts';

type Single<R extends Route> = (service: Service, caller: Caller, input: Input<R>) => Promise<Output<R>>;

/** Takes the items that are well-formed, and answers each or says why not. */
type Batch<R extends BatchRoute> = (
  service: Service,
  caller: Caller,
  input: { readonly items: readonly Item<R>[] },
) => Promise<{ results: (Output<R>['results'][number] | Refusal)[] }>;

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

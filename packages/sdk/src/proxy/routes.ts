import { parseUuid } from '@eaas/protocol';
import type { Route } from '@eaas/protocol/wire';

/** What a browser can be allowed: each alone and, under the same name, in batches. */
export type Operation = 'wrap' | 'unwrap' | 'rewrap' | 'hash';

/** What a path of the proxy stands for. */
export interface Target {
  readonly operation: Operation;
  readonly route: Route;
  readonly batch: boolean;
  /** The key, in lower case, where the path names it. */
  readonly keyId: string | undefined;
}

/** What stands at a path, spelled exactly so: nothing is decoded, and there is nothing else. */
export function findTarget(path: string): Target | undefined {
  const [, key = '', ofKey] = /^\/v1\/keys\/([^/]+)\/(wrap|unwrap|rewrap)$/.exec(path) ?? [];
  if (ofKey) {
    const operation = ofKey as 'wrap' | 'unwrap' | 'rewrap';
    const keyId = parseUuid(key);
    return keyId
      ? { operation, route: `POST /v1/keys/:key_id/${operation}`, batch: false, keyId }
      : undefined;
  }
  if (path === '/v1/hash')
    return { operation: 'hash', route: 'POST /v1/hash', batch: false, keyId: undefined };
  const [, ofBatch] = /^\/v1\/batch\/(wrap|unwrap|rewrap|hash)$/.exec(path) ?? [];
  if (!ofBatch) return undefined;
  const operation = ofBatch as Operation;
  return { operation, route: `POST /v1/batch/${operation}`, batch: true, keyId: undefined };
}

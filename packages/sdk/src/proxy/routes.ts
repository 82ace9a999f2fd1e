import { parseUuid } from '@eaas/protocol';

export const operations = ['wrap', 'unwrap', 'rewrap', 'hash'] as const;

/** The operations that a grant can allow, in single calls and in batches. */
export type Operation = (typeof operations)[number];

type OfKey = Exclude<Operation, 'hash'>;

export interface Target {
  readonly operation: Operation;
  readonly route: `POST /v1/keys/:key_id/${OfKey}` | 'POST /v1/hash' | `POST /v1/batch/${Operation}`;
  readonly batch: boolean;
  readonly keyId: string | undefined;
}

const paths = /^\/v1\/(?:keys\/([^/]+)\/(wrap|unwrap|rewrap)|batch\/(wrap|unwrap|rewrap|hash)|hash)$/;

/**
 * Returns the operation and the key of a path. Returns undefined for a path with percent-encoded characters, because
 * the proxy does not decode paths.
 */
export function findTarget(path: string): Target | undefined {
  const match = paths.exec(path);
  if (!match) return undefined;
  const [, key, ofKey, ofBatch] = match;
  const operation = (ofKey ?? ofBatch ?? 'hash') as Operation;
  const keyId = key === undefined ? undefined : parseUuid(key);
  if (key !== undefined && !keyId) return undefined;
  let route: Target['route'] = 'POST /v1/hash';
  if (ofKey) route = `POST /v1/keys/:key_id/${ofKey as OfKey}`;
  if (ofBatch) route = `POST /v1/batch/${operation}`;
  return { operation, route, batch: ofBatch !== undefined, keyId };
}

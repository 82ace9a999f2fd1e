import { parseUuid } from '@eaas/protocol';

/** The operations that a grant can allow, in single calls and in batches. */
export type Operation = 'wrap' | 'unwrap' | 'rewrap' | 'hash';

const all: Readonly<Record<Operation, true>> = {
  wrap: true,
  unwrap: true,
  rewrap: true,
  hash: true,
};

export const operations: readonly unknown[] = /* @__PURE__ */ Object.keys(all);

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
  if (key !== undefined) {
    const operation = ofKey as OfKey;
    const keyId = parseUuid(key);
    if (!keyId) return undefined;
    return { operation, route: `POST /v1/keys/:key_id/${operation}`, batch: false, keyId };
  }
  if (ofBatch !== undefined) {
    const operation = ofBatch as Operation;
    return { operation, route: `POST /v1/batch/${operation}`, batch: true, keyId: undefined };
  }
  return { operation: 'hash', route: 'POST /v1/hash', batch: false, keyId: undefined };
}

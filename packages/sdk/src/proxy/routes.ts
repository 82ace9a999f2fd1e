import { parseUuid } from '@eaas/protocol';

/** The operations that a grant can allow, in single calls and in batches. */
export type Operation = 'wrap' | 'unwrap' | 'rewrap' | 'hash';

export interface Target {
  readonly operation: Operation;
  readonly route:
    | `POST /v1/keys/:key_id/${Exclude<Operation, 'hash'>}`
    | 'POST /v1/hash'
    | `POST /v1/batch/${Operation}`;
  readonly batch: boolean;
  readonly keyId: string | undefined;
}

const paths = /^\/v1\/(?:keys\/([^/]+)\/(wrap|unwrap|rewrap)|batch\/(wrap|unwrap|rewrap|hash)|hash)$/;

/** The proxy does not decode paths, so the spelling must be exact. */
export function findTarget(path: string): Target | undefined {
  const match = paths.exec(path);
  if (!match) return undefined;
  const [, key, ofKey, ofBatch] = match;
  if (key !== undefined) {
    const operation = ofKey as Exclude<Operation, 'hash'>;
    const keyId = parseUuid(key);
    if (!keyId) return undefined;
    return { operation, route: `POST /v1/keys/:key_id/${operation}`, batch: false, keyId };
  }
  const batch = ofBatch !== undefined;
  const operation = (ofBatch ?? 'hash') as Operation;
  return {
    operation,
    route: batch ? `POST /v1/batch/${operation}` : 'POST /v1/hash',
    batch,
    keyId: undefined,
  };
}

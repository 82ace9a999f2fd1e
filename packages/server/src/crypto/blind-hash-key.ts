import type { KeyObject } from 'node:crypto';
import { type BlindHashKey, deriveBlindHashKey } from '@eaas/protocol/blind-hash';
import { nodeCurve } from '@eaas/protocol/blind-hash-node';

export function openBlindHashKey(hashKey: KeyObject, tenantId: string, keyId: string): BlindHashKey {
  const secret = hashKey.export();
  try {
    return deriveBlindHashKey(nodeCurve, secret, tenantId, keyId);
  } finally {
    secret.fill(0);
  }
}

import { createHmac, type KeyObject } from 'node:crypto';
import { toUtf8 } from '@eaas/protocol';

/** Returns the fingerprint of a value: 64 lower-case hex digits. Throws InputError for text with a lone surrogate. */
export function fieldHash(hashKey: KeyObject, value: string): string {
  return createHmac('sha256', hashKey).update(toUtf8(value)).digest('hex');
}

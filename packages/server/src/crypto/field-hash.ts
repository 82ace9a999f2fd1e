import { createHmac, type KeyObject } from 'node:crypto';
import { toUtf8 } from '@eaas/protocol';

export function fieldHash(hashKey: KeyObject, value: string): string {
  return createHmac('sha256', hashKey).update(toUtf8(value)).digest('hex');
}

import { createHmac } from 'node:crypto';

export { nodeEngine as engine } from '@eaas/protocol/node';

export function hmac(key: Uint8Array, message: Uint8Array): Uint8Array {
  return createHmac('sha256', key).update(message).digest();
}

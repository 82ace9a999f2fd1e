// AES, scrypt and HMAC of node:crypto for the older formats. Elsewhere, `#platform` has the same functions without it.
import { createDecipheriv, createHmac, scryptSync } from 'node:crypto';
import type { Mode } from './platform.ts';

export function openAes(mode: Mode, key: Uint8Array, iv: Uint8Array, sealed: Uint8Array, tagLength = 16) {
  const tag = mode === 'gcm' ? sealed.subarray(-tagLength) : new Uint8Array();
  const name = `aes-${key.length * 8}-${mode}` as 'aes-256-gcm';
  const decipher = createDecipheriv(name, key, iv, { authTagLength: tagLength });
  if (mode === 'gcm') decipher.setAuthTag(tag);
  const opened = decipher.update(sealed.subarray(0, sealed.length - tag.length));
  return new Uint8Array(Buffer.concat([opened, decipher.final()]));
}

/** As much memory as noble allows. Node's own limit refuses a cost of more than 32 MiB. */
const maxmem = 2 ** 30 + 1_024;

export const scrypt = (secret: Uint8Array, salt: Uint8Array, cost: Record<'N' | 'r' | 'p', number>) =>
  new Uint8Array(scryptSync(secret, salt, 32, { ...cost, maxmem }));

export const hmacSha256 = (key: Uint8Array, message: Uint8Array) =>
  new Uint8Array(createHmac('sha256', key).update(message).digest());

// scrypt outside Node. There, scrypt.node.ts takes its place, which is three times as fast.
import { scrypt as derive } from '@noble/hashes/scrypt.js';

export const scrypt = (secret: Uint8Array, salt: Uint8Array, cost: Record<'N' | 'r' | 'p', number>) =>
  derive(secret, salt, { ...cost, dkLen: 32 });

import { scryptSync } from 'node:crypto';

/** As much memory as noble allows. Node's own limit refuses a cost of more than 32 MiB. */
const maxmem = 2 ** 30 + 1_024;

export const scrypt = (secret: Uint8Array, salt: Uint8Array, cost: Record<'N' | 'r' | 'p', number>) =>
  new Uint8Array(scryptSync(secret, salt, 32, { ...cost, maxmem }));

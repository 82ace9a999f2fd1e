// Verifies with `jose` that a key has signed a token. The plugin of issuers asks, and remembers what holds.
import type { Fair, IssuerKey, IssuerOptions } from '@eaas/service';
import { compactVerify, type CryptoKey, importJWK } from 'jose';

type Imported = Promise<CryptoKey | Uint8Array>;

/** Until a signature holds, the work is that of no tenant, so that forged tokens hold up no sign-in. */
export function signatureVerifier(fair: Fair): IssuerOptions['verify'] {
  const imported = new WeakMap<IssuerKey['jwk'], Map<string, Imported>>();
  const importOf = (jwk: IssuerKey['jwk'], alg: string): Imported => {
    const known = imported.get(jwk) ?? new Map<string, Imported>();
    imported.set(jwk, known);
    const key = known.get(alg) ?? importJWK({ ...jwk }, alg);
    known.set(alg, key);
    return key;
  };
  return async (token, jwk, alg) => {
    if (fair.isOver()) await fair.pause('no tenant');
    try {
      await compactVerify(token, await importOf(jwk, alg), { algorithms: [alg] });
      return true;
    } catch {
      return false;
    }
  };
}

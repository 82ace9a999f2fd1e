import { PublicKeyChangedError } from '@eaas/protocol/internal-blind-hash';

/**
 * Returns functions that compare the public key in a response with the expected one. The expected public key is the
 * pinned one, or otherwise that of the first valid response.
 */
export function publicKeyStore(pinned: Readonly<Record<string, string>>) {
  const pins = new Map(Object.entries(pinned).map(([keyId, key]) => [keyId.toLowerCase(), key]));
  const seen = new Map<string, string>();

  function check(keyId: string, publicKey: string): void {
    const isPinned = pins.has(keyId);
    const expected = isPinned ? pins.get(keyId) : (seen.get(keyId) ?? publicKey);
    if (expected !== publicKey) throw new PublicKeyChangedError(keyId, isPinned);
  }

  return {
    check,
    remember(keyId: string, publicKey: string): void {
      // Checks again, because a response that arrived during the computation can have set the expected public key.
      check(keyId, publicKey);
      seen.set(keyId, publicKey);
    },
  };
}

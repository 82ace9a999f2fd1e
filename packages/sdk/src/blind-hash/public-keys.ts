import { PublicKeyChangedError } from '@eaas/protocol/internal-blind-hash';

/**
 * Checks that the service always returns the same public key for a key: the pinned public key or, without a pin, the
 * public key of the first valid response.
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
      // Checks the public key again. During the verification of this response, another response can have set a
      // different expected public key.
      check(keyId, publicKey);
      seen.set(keyId, publicKey);
    },
  };
}

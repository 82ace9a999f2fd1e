import { PublicKeyChangedError } from '@eaas/protocol/internal-blind-hash';

/** Expects the pinned public key or, without a pin, the public key of the first valid response. */
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
      // Checks again, because another response can have set the expected public key during the verification.
      check(keyId, publicKey);
      seen.set(keyId, publicKey);
    },
  };
}

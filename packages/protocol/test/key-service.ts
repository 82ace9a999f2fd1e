import type { Unwrap, Wrap } from '@eaas/protocol';

export function keyService(keyId: string, keyVersion = 1): { wrap: Wrap; unwrap: Unwrap } {
  const deks = new Map<string, Uint8Array>();
  return {
    wrap(dek) {
      const wrappedKey = crypto.getRandomValues(new Uint8Array(78));
      deks.set(entryOf({ keyId, keyVersion, wrappedKey }), dek.slice());
      return { keyId, keyVersion, wrappedKey };
    },
    unwrap(wrapped) {
      const dek = deks.get(entryOf(wrapped));
      if (!dek) throw new Error('this test service did not create the wrapped key');
      return dek.slice();
    },
  };
}

function entryOf({ keyId, keyVersion, wrappedKey }: Parameters<Unwrap>[0]): string {
  return `${keyId} ${keyVersion} ${Buffer.from(wrappedKey).toString('hex')}`;
}

import { type Context, wipeDataKey } from '@eaas/protocol';
import { toBase64 } from '@eaas/protocol/base64';
import { type IntakePublicKey, wrapForIntake } from '@eaas/protocol/intake';
import { dataKeyFrom, dataKeyInfo } from '@eaas/protocol/internal';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';
import type { OneDataKey } from '../client/ciphertext.ts';
import { webHkdf } from '../engines/web-hkdf.ts';

export async function createDataKey(
  publicKey: IntakePublicKey,
  wrapContext: Context | undefined,
): Promise<OneDataKey> {
  const dek = crypto.getRandomValues(new Uint8Array(32));
  let derived: Uint8Array = dek;
  try {
    const wrapped = await wrapForIntake(publicKey, dek, wrapContext);
    derived = await webHkdf(dek, dataKeyInfo);
    const values = await dataKeyFrom(webCryptoEngine, derived, wrapped);
    const { keyId, keyVersion, wrappedKey } = wrapped;
    return { keyId, keyVersion, wrappedText: toBase64(wrappedKey), values };
  } finally {
    dek.fill(0);
    derived.fill(0);
  }
}

export function wipe({ values }: OneDataKey): void {
  wipeDataKey(values);
}

import { type Context, wipeDataKey } from '@eaas/protocol';
import { toBase64 } from '@eaas/protocol/base64';
import { type IntakePublicKey, wrapForIntake } from '@eaas/protocol/intake';
import { dataKeyFrom, dataKeyInfo } from '@eaas/protocol/internal';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';
import type { EncryptedForm } from '../call-options.ts';
import { contextOf, type Encrypted, requireValue, sealAs } from '../ciphertext.ts';
import type { DerivedDataKey } from '../data-keys/derive.ts';
import { webHkdf } from '../web-hkdf.ts';

export type OneDataKey = Pick<DerivedDataKey, 'keyId' | 'keyVersion' | 'wrappedText' | 'values'>;

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

export type Sealing = (key: OneDataKey) => Encrypted | Promise<Encrypted>;

/** Returns a function that encrypts a copy of the value and the context, because the caller can overwrite both. */
export function sealing(
  value: string | Uint8Array,
  context: Context | undefined,
  as: EncryptedForm | undefined,
): Sealing {
  requireValue(value);
  const seal = sealAs(as);
  const own = typeof value === 'string' ? value : new Uint8Array(value);
  const ownContext = contextOf(context);
  return (key) => seal(key, key.values, own, ownContext);
}

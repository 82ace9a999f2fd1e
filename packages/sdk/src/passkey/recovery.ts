// The recovery of a half by an intake key, loaded on demand.
import { DecryptionError, openUnder, parseEnvelope } from '@eaas/protocol/internal';
import { platformEngines } from '#engines';
import { isOfPerson } from '../caller.ts';
import { envelopeBytes } from '../data-keys/ciphertext.ts';
import { deriveDataKey } from '../data-keys/derive.ts';
import { limitsOf } from '../data-keys/limits.ts';
import { type Halves, halvesOf } from '../half/options.ts';
import { createIntake, type IntakeOptions } from '../intake/intake.ts';
import type { RecoverHalfOptions } from './passkey.ts';

const contextOf = (subject: string) => ({ purpose: 'half', subject });

/** Encrypts a half with the public key. Returns what opens it later. */
export async function sealRecovery(half: CryptoKey, key: IntakeOptions, subject: string): Promise<string> {
  const intake = createIntake(key);
  const bytes = new Uint8Array(await crypto.subtle.exportKey('raw', half));
  const encrypting = intake.encrypt(bytes, { context: contextOf(subject) });
  bytes.fill(0);
  return encrypting;
}

/** Decrypts a half. Throws DecryptionError unless `proof` is under it, because anybody can encrypt with the public key. */
export async function openRecovery(options: RecoverHalfOptions): Promise<CryptoKey> {
  const { client, signal, subject, recovery, proof } = options;
  const whose = (bytes: Uint8Array) => ({ signal, ...(isOfPerson(bytes) && { subject }) });
  const sealed = envelopeBytes(recovery);
  const value = envelopeBytes(proof.ciphertext);
  const bytes = await client.decrypt(sealed, { ...whose(sealed), context: contextOf(subject), anyKey: true });
  if (bytes.length !== 32) {
    throw new DecryptionError(
      'what the recovery decrypts to has another length than a half: pass the `recovery` that `createPasskeyHalf` returned',
    );
  }
  const hmac = { name: 'HMAC', hash: 'SHA-256', length: 256 };
  const importing = crypto.subtle.importKey('raw', new Uint8Array(bytes), hmac, true, ['sign']);
  bytes.fill(0);
  const half = await importing;
  const envelope = parseEnvelope(value);
  const unwrap = () => client.unwrap(envelope, whose(value));
  const derive = (dek: Uint8Array) => deriveDataKey(platformEngines(), dek, envelope, false);
  const halves = await (halvesOf(limitsOf(), half) as Halves).load();
  const key = await halves.open(envelope, unwrap, derive);
  await openUnder(key.values, envelope, proof.context);
  return half;
}

// The writer's side of intake keys: wraps a data key with a public key, by WebCrypto, or by noble where it has no X25519.
import { sha3_256 } from '@noble/hashes/sha3.js';
import { concatBytes } from '@noble/hashes/utils.js';
import { ml_kem768 } from '@noble/post-quantum/ml-kem.js';
import { pkcs8Of, randomBytes, using } from '../bytes.ts';
import type { Context } from '../context.ts';
import { webCryptoEngine } from '../engines/webcrypto.ts';
import type { Wrapped } from '../envelope.ts';
import { InputError, LoadError } from '../errors.ts';
import { dekLength, tagLength } from '../format-sizes.ts';
import { combine, keySchedule, type MessageKey } from './key-schedule.ts';
import { type IntakePublicKey, invalidPublicKey } from './public-key.ts';
import { basePoint, intakeAad, intakeHead, intakeInfo, mlKemKeyLength } from './suite.ts';

/**
 * Wraps a DEK with a public key (HPKE in base mode), so that only the service can unwrap the DEK. Throws LoadError if
 * the platform has no X25519 and the code of noble cannot be loaded. The caller must wipe `dek`. Only tests pass
 * `seed`, which the function overwrites.
 */
export async function wrapForIntake(
  publicKey: IntakePublicKey,
  dek: Uint8Array,
  wrapContext?: Context,
  seed: Uint8Array = randomBytes(64),
): Promise<Wrapped> {
  if (dek.length !== dekLength) {
    throw new InputError(`a DEK (data encryption key) must have ${dekLength} bytes (got ${dek.length})`);
  }
  const { keyId, keyVersion } = publicKey;
  // Copies the DEK, because the caller can overwrite it before the promise settles.
  const plaintext = new Uint8Array(dek);
  const secrets = [plaintext, seed];
  try {
    const aad = intakeAad(keyVersion, wrapContext);
    const { sharedSecret, ciphertext } = await encapsulate(publicKey, seed);
    secrets.push(sharedSecret);
    const { key, nonce } = await runSchedule(sharedSecret, intakeInfo(publicKey));
    secrets.push(key);
    const sealed = new Uint8Array(dekLength + tagLength);
    const imported = await webCryptoEngine.importKey(key);
    await webCryptoEngine.encrypt(imported, nonce, aad, plaintext, sealed);
    return { keyId, keyVersion, wrappedKey: concatBytes(intakeHead(keyVersion), ciphertext, sealed) };
  } finally {
    for (const secret of secrets) secret.fill(0);
  }
}

async function encapsulate({ bytes }: IntakePublicKey, seed: Uint8Array) {
  const x25519Key = bytes.subarray(mlKemKeyLength);
  const scalar = seed.subarray(32);
  const [x25519Ciphertext, x25519Secret] = await Promise.all([
    x25519(scalar, basePoint),
    x25519(scalar, x25519Key),
  ]).catch((cause: unknown) => {
    if (cause instanceof LoadError) throw cause;
    throw invalidPublicKey('is not a valid X25519 key, or this platform has no X25519', {
      cause,
    });
  });
  const mlKem = ml_kem768.encapsulate(bytes.subarray(0, mlKemKeyLength), seed.subarray(0, 32));
  return {
    sharedSecret: combine(sha3_256, mlKem.sharedSecret, x25519Secret, x25519Ciphertext, x25519Key),
    ciphertext: concatBytes(mlKem.cipherText, x25519Ciphertext),
  };
}

async function runSchedule(sharedSecret: Uint8Array, info: Uint8Array): Promise<MessageKey> {
  const schedule = keySchedule(sharedSecret, info);
  let step = schedule.next();
  while (!step.done) step = schedule.next(await hmac(...step.value));
  return step.value;
}

const hmacSha256 = { name: 'HMAC', hash: 'SHA-256' };

/**
 * Multiplies a point by a scalar on X25519. Throws for a point of low order. Throws LoadError if the platform has no
 * X25519 and the code of noble cannot be loaded.
 */
async function x25519(scalar: Uint8Array, point: Uint8Array): Promise<Uint8Array> {
  try {
    return await platformX25519(scalar, point);
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== 'NotSupportedError') throw error;
  }
  const noble = await import('#x25519').catch(() => {
    throw new LoadError('X25519');
  });
  return noble.x25519(scalar, point);
}

async function platformX25519(scalar: Uint8Array, point: Uint8Array): Promise<Uint8Array> {
  const { subtle } = crypto;
  const [privateKey, publicKey] = await Promise.all([
    using(pkcs8Of('x25519', scalar), (key) =>
      subtle.importKey('pkcs8', key as BufferSource, 'X25519', false, ['deriveBits']),
    ),
    subtle.importKey('raw', point as BufferSource, 'X25519', false, []),
  ]);
  return new Uint8Array(await subtle.deriveBits({ name: 'X25519', public: publicKey }, privateKey, 256));
}

async function hmac(key: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  const { subtle } = crypto;
  const imported = await subtle.importKey('raw', key as BufferSource, hmacSha256, false, ['sign']);
  return new Uint8Array(await subtle.sign('HMAC', imported, message as BufferSource));
}

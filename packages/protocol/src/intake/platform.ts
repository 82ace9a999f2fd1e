import { concatBytes } from '@noble/hashes/utils.js';
import { fromHex, using } from '../bytes.ts';
import { LoadError } from '../errors.ts';

const hmacSha256 = { name: 'HMAC', hash: 'SHA-256' };
/** The prefix of an X25519 private key in PKCS #8. The scalar follows this prefix (RFC 8410). */
const pkcs8 = '302e020100300506032b656e04220420';

/**
 * Multiplies a point by a scalar on X25519. Throws for a point of low order. Throws LoadError if the platform has no
 * X25519 and the code of noble cannot be loaded.
 */
export async function x25519(scalar: Uint8Array, point: Uint8Array): Promise<Uint8Array> {
  try {
    return await platformX25519(scalar, point);
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== 'NotSupportedError') throw error;
  }
  const noble = await import('./x25519.ts').catch(() => {
    throw new LoadError('X25519');
  });
  return noble.x25519(scalar, point);
}

async function platformX25519(scalar: Uint8Array, point: Uint8Array): Promise<Uint8Array> {
  const { subtle } = crypto;
  const [privateKey, publicKey] = await Promise.all([
    using(concatBytes(fromHex(pkcs8), scalar), (key) =>
      subtle.importKey('pkcs8', key as BufferSource, 'X25519', false, ['deriveBits']),
    ),
    subtle.importKey('raw', point as BufferSource, 'X25519', false, []),
  ]);
  return new Uint8Array(await subtle.deriveBits({ name: 'X25519', public: publicKey }, privateKey, 256));
}

export async function hmac(key: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  const { subtle } = crypto;
  const imported = await subtle.importKey('raw', key as BufferSource, hmacSha256, false, ['sign']);
  return new Uint8Array(await subtle.sign('HMAC', imported, message as BufferSource));
}

// The public key of an intake key as one line that people copy and paste, so it has a checksum, and reading it checks it in full.
import { sha256 } from '#sha256';
import { readBase64, toBase64 } from '../base64.ts';
import { toHex } from '../bytes.ts';
import { InputError } from '../errors.ts';
import { toUtf8 } from '../text.ts';
import { type IntakePlace, mlKemKeyLength, publicKeyLength } from './suite.ts';

/** A parsed public key. Anyone who has it can encrypt values that only the service can open. */
export interface IntakePublicKey extends IntakePlace {
  /** The encapsulation key of ML-KEM-768 (1,184 bytes) and the public key of X25519 (32 bytes). */
  readonly bytes: Uint8Array;
}

const pattern =
  /^eaas_pk_1\.([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.([1-9]\d{0,9})\.([A-Za-z\d+/]+=*)\.([\da-f]{16})$/;
const modulus = 3_329;

/** Formats a public key as one line of text, which `parsePublicKey` reads. */
export function formatPublicKey({ keyId, keyVersion, bytes }: IntakePublicKey): string {
  const text = ['eaas_pk_1', keyId, keyVersion, toBase64(bytes)].join('.');
  return `${text}.${checksumOf(text)}`;
}

/** Parses the text of a public key. Throws InputError if one character is wrong, missing or too many. */
export function parsePublicKey(text: string): IntakePublicKey {
  const [, keyId, version, encoded, checksum] = (typeof text === 'string' && pattern.exec(text)) || [];
  const keyVersion = Number(version);
  if (!keyId || !encoded || keyVersion >>> 0 !== keyVersion) {
    throw invalidPublicKey('has an unknown form: pass all of `eaas_pk_1.…`, without spaces or line breaks');
  }
  if (checksumOf(text.slice(0, -17)) !== checksum) {
    throw invalidPublicKey('has a wrong checksum: it was altered or truncated');
  }
  const bytes = readBase64(encoded);
  if (bytes?.length !== publicKeyLength) {
    throw invalidPublicKey(
      `must have ${publicKeyLength} bytes in canonical base64 (got ${bytes?.length ?? 'other text'})`,
    );
  }
  if (!hasReducedCoefficients(bytes)) throw invalidPublicKey('has an invalid ML-KEM coefficient');
  return { keyId, keyVersion, bytes };
}

export function invalidPublicKey(problem: string, options?: ErrorOptions): InputError {
  return new InputError(
    `the public key ${problem}. Pass the \`intake_public_key\` that \`client.publicKey\` returned`,
    options,
  );
}

const checksumOf = (text: string): string => toHex(sha256(toUtf8(text)).subarray(0, 8));

/**
 * The modulus check of FIPS 203, 7.2: every coefficient is less than 3,329. Three bytes contain two coefficients, and
 * the last 32 bytes are a seed.
 */
function hasReducedCoefficients(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  for (let at = 0; at < mlKemKeyLength - 32; at += 3) {
    const low = view.getUint16(at, true) & 0xfff;
    const high = view.getUint16(at + 1, true) >> 4;
    if (low >= modulus || high >= modulus) return false;
  }
  return true;
}

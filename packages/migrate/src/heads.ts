// What the beginning of a stored text says: whether it is a ciphertext, and under which version of which key.
import { viewBase64 } from '@eaas/protocol/internal-base64';
import { isSubjectWrapped, storedCiphertext, uuidFromBytes } from '@eaas/protocol/internal';
import { isEncrypted } from '@eaas/sdk/fields';

/** The length of the shortest ciphertext. So many characters of a text say all of this. */
export const headLength = 220;
const keyIdAt = 4;
const keyVersionAt = 20;
const wrappedKeyAt = 26;

export interface Head {
  readonly keyId: string;
  readonly keyVersion: number;
  /** Whether the data key belongs to a person. */
  readonly isOfPerson: boolean;
  /** Whether a writer without credentials wrapped the data key with a public key. */
  readonly isIntake: boolean;
}

/**
 * Undefined for NULL. `broken` is what begins like a ciphertext and is none: it would be encrypted like a plaintext, and the app
 * would not notice the lost data.
 */
export function headIn(text: string | null | undefined): Head | 'plaintext' | 'broken' | undefined {
  if (text === null || text === undefined) return undefined;
  if (storedCiphertext(text) === undefined) return 'plaintext';
  const bytes = text.length >= headLength && isEncrypted(text) ? viewBase64(text.slice(0, 40)) : undefined;
  if (!bytes) return 'broken';
  return {
    keyId: uuidFromBytes(bytes.subarray(keyIdAt, keyVersionAt)),
    keyVersion: new DataView(bytes.buffer, bytes.byteOffset).getUint32(keyVersionAt),
    isOfPerson: isSubjectWrapped(bytes.subarray(wrappedKeyAt)),
    isIntake: bytes[wrappedKeyAt] === 2,
  };
}

import { FormatError } from '@eaas/protocol';
import { viewBase64 } from '@eaas/protocol/base64';
import { readHeader, storedCiphertext } from '@eaas/protocol/internal';

type Ciphertext = string | Uint8Array;

export function isCiphertext(value: unknown): boolean {
  const ciphertext = storedCiphertext(value);
  return ciphertext !== undefined && headerIn(ciphertext) === 'present';
}

export function ciphertextAmongPlaintext(value: unknown): Ciphertext | undefined {
  const ciphertext = storedCiphertext(value);
  return ciphertext !== undefined && headerIn(ciphertext) !== 'none' ? ciphertext : undefined;
}

/** Returns whether a value is a ciphertext, or a plain object or array that contains a ciphertext. */
export function holdsCiphertext(value: unknown): boolean {
  return holds(value, []);
}

function holds(value: unknown, around: readonly unknown[]): boolean {
  if (typeof value === 'string') return value.startsWith('eaas') && isCiphertext(value);
  if (typeof value !== 'object' || value === null) return false;
  if (value instanceof Uint8Array) return isCiphertext(value);
  const prototype: unknown = Array.isArray(value) ? null : Object.getPrototypeOf(value);
  // Skips instances of classes, because reading a member of an ORM object can load more rows.
  const isPlain = prototype === null || prototype === Object.prototype;
  if (!isPlain || around.includes(value)) return false;
  return Object.values(value).some((member) => holds(member, [...around, value]));
}

const fixedHeaderBytes = 26;
const fixedHeaderCharacters = 36;

function headerIn(ciphertext: Ciphertext): 'present' | 'cut' | 'none' {
  const isText = typeof ciphertext === 'string';
  if (ciphertext.length < (isText ? fixedHeaderCharacters : fixedHeaderBytes)) {
    const isCut = isText ? /^eaasA[Q-Za-f][A-Za-z0-9+/]*$/.test(ciphertext) : ciphertext[3] === 1;
    return isCut ? 'cut' : 'none';
  }
  const bytes = isText ? viewBase64(ciphertext.slice(0, fixedHeaderCharacters)) : ciphertext;
  if (!bytes) return 'none';
  try {
    readHeader(bytes);
    return 'present';
  } catch (error) {
    if (error instanceof FormatError) return 'none';
    throw error;
  }
}

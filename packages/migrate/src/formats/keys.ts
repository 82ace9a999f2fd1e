// The keys of other tools, as apps have them in their environment, and the encodings of keys and values. A decoder returns
// undefined for all that an encoder would not have written: other digits, missing padding, unused bits that are not zero.
import { readBase64, toBase64 } from '@eaas/protocol/internal-base64';
import {
  fromHex,
  InputError,
  isBytes,
  kindOf,
  readBase64Url,
  requireOptions,
  type Rule,
  toHex,
  toUtf8,
} from '@eaas/protocol/internal';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { scrypt } from '#platform';
import { valueOf } from './reader.ts';

/** One or several, or a function that returns them. */
type Given<T> = T | readonly T[] | (() => T | readonly T[]);

/** Returns bytes, or undefined for a text that is not of the encoding or format. */
export type Decode = (text: string) => Uint8Array | undefined;

export const decoders: Readonly<Record<'hex' | 'base64' | 'base64url', Decode>> = {
  // Looks for what is no digit. A pattern that matches all digits would need a stack as long as the text.
  hex: (text) => (text.length % 2 === 0 && !/[^0-9a-f]/.test(text) ? fromHex(text) : undefined),
  base64: readBase64,
  base64url: readBase64Url,
};

/**
 * Returns the key that is written as 64 hex digits. Throws InputError for any other text.
 *
 * @example
 * ```ts
 * import { keyFromHex } from '@eaas/migrate/formats';
 *
 * const key = keyFromHex(process.env.ENCRYPTION_KEY!);
 * console.log(key.length); // 32
 * ```
 */
export const keyFromHex = (text: string): Uint8Array =>
  keyFrom(text, 'the argument of `keyFromHex`', '64 hex digits', (given) =>
    decoders.hex(given.toLowerCase()),
  );

/**
 * Returns the key that is written in base64 or base64url. Throws InputError for any other text.
 *
 * @example
 * ```ts
 * import { keyFromBase64 } from '@eaas/migrate/formats';
 *
 * const key = keyFromBase64('A'.repeat(43) + '=');
 * console.log(key.length); // 32
 * ```
 */
export function keyFromBase64(text: string): Uint8Array {
  const decode: Decode = (given) => decoders.base64(given) ?? decoders.base64url(given);
  return keyFrom(text, 'the argument of `keyFromBase64`', '32 bytes in base64', decode);
}

/**
 * Returns the key whose bytes are the text itself, as in `createCipheriv('aes-256-gcm', text, iv)`. Throws InputError for a
 * text that does not have 32 bytes in UTF-8.
 *
 * @example
 * ```ts
 * import { keyFromUtf8 } from '@eaas/migrate/formats';
 *
 * const key = keyFromUtf8('a key of exactly 32 characters..');
 * console.log(key.length); // 32
 * ```
 */
export const keyFromUtf8 = (text: string): Uint8Array =>
  keyFrom(text, 'the argument of `keyFromUtf8`', 'a text of 32 bytes', toUtf8);

/**
 * Returns the SHA-256 of a text as the key. Throws InputError for an empty text.
 *
 * @example
 * ```ts
 * import { keyFromSha256 } from '@eaas/migrate/formats';
 *
 * const key = keyFromSha256(process.env.PASSPHRASE!);
 * console.log(key.length); // 32
 * ```
 */
export const keyFromSha256 = (text: string): Uint8Array =>
  sha256(toUtf8(requireText(text, 'the argument of `keyFromSha256`')));

/**
 * Returns the first 32 characters of a hash, written in hex or base64, as the key:
 * `createHash('sha512').update(text).digest('hex').slice(0, 32)`. Throws InputError for an empty text.
 *
 * @example
 * ```ts
 * import { keyFromHash } from '@eaas/migrate/formats';
 *
 * const key = keyFromHash(process.env.PASSPHRASE!, 'sha512', 'hex');
 * console.log(key.length); // 32
 * ```
 */
export function keyFromHash(text: string, hash: 'sha256' | 'sha512', as: 'hex' | 'base64'): Uint8Array {
  const bytes = toUtf8(requireText(text, 'the first argument of `keyFromHash`'));
  const digest = (hash === 'sha256' ? sha256 : sha512)(bytes);
  return toUtf8((as === 'hex' ? toHex : toBase64)(digest).slice(0, 32));
}

/**
 * Returns the key that scrypt derives from a passphrase and a salt, as `crypto.scryptSync(passphrase, salt, 32)` does. The
 * cost defaults to `{ N: 16_384, r: 8, p: 1 }`, as in Node. It is slow on purpose, so pass a reader
 * a function: `key: () => keyFromScrypt(…)` is called at the first old value, and once.
 * Throws InputError for an empty passphrase, and for a cost that scrypt does not allow.
 *
 * @example
 * ```ts
 * import { keyFromScrypt } from '@eaas/migrate/formats';
 *
 * const key = keyFromScrypt(process.env.PASSPHRASE!, 'salt');
 * console.log(key.length); // 32
 * ```
 */
export function keyFromScrypt(
  passphrase: string,
  salt: string | Uint8Array,
  cost: {
    readonly N?: number | undefined;
    readonly r?: number | undefined;
    readonly p?: number | undefined;
  } = {},
): Uint8Array {
  const secret = toUtf8(requireText(passphrase, 'the passphrase of `keyFromScrypt`'));
  requireOptions({ N: powerOf2, r: 'positiveInteger', p: 'positiveInteger' }, cost, 'keyFromScrypt');
  const { N = 16_384, r = 8, p = 1 } = cost;
  return scrypt(secret, typeof salt === 'string' ? toUtf8(salt) : salt, { N, r, p });
}

const powerOf2: Rule = (value) =>
  (Number(value) > 1 && Number.isInteger(Math.log2(Number(value)))) || 'a power of 2';

/** Returns copies of keys that are bytes. Throws InputError if there is none, or if one does not have 32 bytes. */
export function keysOf(given: Given<Uint8Array>, argument: string): readonly Uint8Array[] {
  return listOf(given, argument).map((key) => {
    if (isBytes(key) && key.length === 32) return Uint8Array.from(key);
    throw new InputError(`${argument} must be 32 bytes, as \`keyFromHex\` returns (got ${kindOf(key)})`);
  });
}

/** Returns what is given alone or in a list, or by a function. Throws InputError for an empty list. */
export function listOf<T>(given: Given<T>, argument: string): readonly T[] {
  const value = valueOf(given);
  const all = Array.isArray(value) ? (value as readonly T[]) : [value as T];
  if (all.length === 0) throw new InputError(`${argument} must not be an empty list`);
  return all;
}

/** Decodes a key. Throws InputError, which does not quote the text, if that does not give as many bytes. */
export function keyFrom(text: string, argument: string, expected: string, decode: Decode, lengths = [32]) {
  const key = decode(requireText(text, argument));
  if (key && lengths.includes(key.length)) return key;
  throw new InputError(
    `${argument} must be ${expected} (got ${key ? `${key.length} bytes` : 'another text'})`,
  );
}

/** Throws InputError for what is no text, or empty, such as the value of an environment variable that is not set. */
export function requireText(text: unknown, argument: string): string {
  if (typeof text === 'string' && text !== '') return text;
  throw new InputError(`${argument} must be a non-empty text (got ${kindOf(text)}): is its variable set?`);
}

// The formats that people write by hand around AES: iv, tag and ciphertext, joined in some order and encoding.
import {
  anything,
  equalBytes,
  InputError,
  type OptionRules,
  requireKind,
  requireOptions,
} from '@eaas/protocol/internal';
import { concatBytes } from '@noble/hashes/utils.js';
import { hmacSha256, openAes } from '#platform';
import { type Decode, decoders, keysOf } from './keys.ts';
import type { Mode } from './platform.ts';
import { type Reader, reader, underKeys, valueOf } from './reader.ts';

/** Describes a hand-written format for `joined`. */
export interface JoinedOptions {
  /**
   * The key of 32 bytes, such as `keyFromHex(text)`, or a list, with older keys last. A function that returns this is called at
   * the first old value.
   */
  readonly key: Uint8Array | readonly Uint8Array[] | (() => Uint8Array | readonly Uint8Array[]);
  /** The key of the HMAC, of 32 bytes, for `aes-256-cbc-hmac`, or a function that returns it. */
  readonly macKey?: Uint8Array | (() => Uint8Array) | undefined;
  /**
   * The order of the parts. The tag is that of GCM, or the HMAC of `aes-256-cbc-hmac`. If it is no part of its own, it is the
   * end of the ciphertext.
   */
  readonly parts: readonly ('iv' | 'tag' | 'ciphertext')[];
  /**
   * The text between the parts. Without it, all parts are encoded together, as one run of bytes. Of AES-CBC, read such a run only
   * if you have seen in your code that the iv is part of it: if the iv is in a variable or in another column, all values open too,
   * but without their first 16 bytes.
   */
  readonly separator?: string | undefined;
  /**
   * How each part is written, or all of them together if there is no separator: hex is lower-case, base64 has its padding, and
   * base64url has all of it or none.
   */
  readonly encoding: 'hex' | 'base64' | 'base64url';
  /** The text before the first part, such as `enc:v1:`. */
  readonly prefix?: string | undefined;
  /**
   * How values were encrypted. Defaults to `aes-256-gcm`. `aes-256-cbc-hmac` has an HMAC-SHA-256 over iv and ciphertext, under a
   * key of its own. `aes-256-cbc` and `aes-256-ctr` are not authenticated.
   */
  readonly cipher?: 'aes-256-gcm' | 'aes-256-cbc-hmac' | 'aes-256-cbc' | 'aes-256-ctr' | undefined;
  /**
   * The bytes of an iv of GCM. Without a separator, it defaults to 12. With a separator, each iv has 12 or 16 bytes if this
   * option does not say which. An iv of CBC or CTR has 16 bytes.
   */
  readonly ivLength?: 12 | 16 | undefined;
  /** The bytes of a tag of GCM, if it was shortened (`authTagLength`). Defaults to 16. */
  readonly tagLength?: 12 | 13 | 14 | 15 | 16 | undefined;
}

export type JoinedPart = JoinedOptions['parts'][number];

/**
 * Returns a reader of a hand-written format. For example, `{ key, parts: ['iv', 'tag', 'ciphertext'], separator: ':',
 * encoding: 'hex' }` reads `iv:tag:ciphertext` in hex. Lengths and encodings must be exact, and plaintexts valid UTF-8.
 * Throws InputError for options that describe no format, and for a key that does not have 32 bytes.
 *
 * @example
 * ```ts
 * import { joined, keyFromHex } from '@eaas/migrate/formats';
 * import { field, plaintext } from '@eaas/sdk/fields';
 *
 * const key = keyFromHex(process.env.ENCRYPTION_KEY!);
 * const read = joined({ key, parts: ['iv', 'tag', 'ciphertext'], separator: ':', encoding: 'hex' });
 * const token = field.text({ previous: plaintext(read) });
 * ```
 */
export function joined(options: JoinedOptions): Reader {
  requireOptions(rules, options, 'joined');
  for (const name of ['parts', 'encoding'] as const) {
    requireKind(rules[name], options[name], `\`${name}\` of \`joined\``);
  }
  const { parts, separator = '‖', encoding, prefix = '', cipher = 'aes-256-gcm', ivLength } = options;
  const { key, macKey } = options;
  const fitsMac = (macKey !== undefined) === (cipher === 'aes-256-cbc-hmac');
  const fitsGcm = (ivLength !== 12 && !options.tagLength) || cipher === 'aes-256-gcm';
  const isAuthenticated = tagLengths[cipher] > 0;
  if (!fitsMac || !fitsGcm || (!isAuthenticated && parts.includes('tag'))) {
    throw new InputError(`the options of \`joined\` do not fit ${cipher}: ${needs}`);
  }
  const name = `${cipher} ${prefix}${parts.join(separator)} in ${encoding}`;
  return underKeys(name, isAuthenticated, [key, macKey], () => {
    const [mac] = macKey === undefined ? [] : keysOf([valueOf(macKey)], '`macKey` of `joined`');
    const keys = keysOf(key, '`key` of `joined`');
    return keys.map((each) => reader(name, isAuthenticated, opener(options, each, mac)));
  });
}

const needs =
  'HMAC needs a `macKey`, CBC and CTR an `ivLength` of 16, and without HMAC `parts` without a tag';

/** Returns a function that takes a stored value apart and decrypts it, if all parts have their lengths. */
function opener(options: JoinedOptions, key: Uint8Array, macKey: Uint8Array | undefined): Decode {
  const { parts, separator, encoding, prefix = '', cipher = 'aes-256-gcm', ivLength } = options;
  const decode = decoders[encoding];
  const tagLength = options.tagLength ?? tagLengths[cipher];
  const ivLengths = ivLength ? [ivLength] : cipher === 'aes-256-gcm' ? [12, 16] : [16];

  function split(text: string): readonly (Uint8Array | undefined)[] {
    // Splits off one part too many, to notice that there is one.
    if (separator !== undefined) return text.split(separator, parts.length + 1).map(decode);
    const bytes = decode(text) ?? new Uint8Array();
    const [iv = 0] = ivLengths;
    const tag = parts.includes('tag') ? tagLength : 0;
    const size = { iv, tag, ciphertext: Math.max(0, bytes.length - iv - tag) };
    let end = 0;
    return parts.map((part) => {
      const start = end;
      end += size[part];
      return bytes.subarray(start, end);
    });
  }

  return (stored) => {
    const pieces = stored.startsWith(prefix) ? split(stored.slice(prefix.length)) : [];
    const [iv, tag, ciphertext] = partNames.map((part) => pieces[parts.indexOf(part)]);
    if (pieces.length !== parts.length || pieces.includes(undefined) || !iv || !ciphertext) return undefined;
    if (!ivLengths.includes(iv.length) || (tag && tag.length !== tagLength)) return undefined;
    const sealed = tag ? concatBytes(ciphertext, tag) : ciphertext;
    if (!macKey) return openAes(cipher.slice(8) as Mode, key, iv, sealed, tagLength);
    const body = sealed.subarray(0, -tagLength);
    requireMac(macKey, concatBytes(iv, body), sealed.subarray(-tagLength));
    return openAes('cbc', key, iv, body);
  };
}

/** Throws if the HMAC-SHA-256 does not hold, so that nothing is decrypted. Compares in constant time. */
export function requireMac(macKey: Uint8Array, signed: Uint8Array, mac: Uint8Array): void {
  if (!equalBytes(hmacSha256(macKey, signed), mac)) throw new Error('wrong HMAC');
}

/** By cipher; 0 for those that are not authenticated. */
export const tagLengths = { 'aes-256-gcm': 16, 'aes-256-cbc-hmac': 32, 'aes-256-cbc': 0, 'aes-256-ctr': 0 };
const partNames: readonly JoinedPart[] = ['iv', 'tag', 'ciphertext'];

const nameIn = (known: object) => (value: unknown) =>
  Object.hasOwn(known, String(value)) || `one of ${Object.keys(known).join(', ')}`;

const rules = {
  key: anything,
  macKey: anything,
  parts: (value) =>
    (Array.isArray(value) && /^ciphertext,iv(,tag)?$/.test((value as string[]).toSorted().join())) ||
    "a list of 'iv', 'ciphertext' and, if it is a part of its own, 'tag'",
  separator: (value) => (typeof value === 'string' && value !== '') || 'a text that is not empty',
  encoding: nameIn(decoders),
  prefix: 'text',
  cipher: nameIn(tagLengths),
  ivLength: nameIn({ 12: 0, 16: 0 }),
  tagLength: nameIn({ 12: 0, 13: 0, 14: 0, 15: 0, 16: 0 }),
} satisfies OptionRules<JoinedOptions>;

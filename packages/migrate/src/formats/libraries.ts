// Readers of what libraries store: Better Auth, @47ng/cloak, Fernet, CryptoJS, n8n, Laravel and typeorm-encrypted.
import { fromUtf8, toUtf8 } from '@eaas/protocol/internal';
import { fromBase64 } from '@eaas/protocol/internal-base64';
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { bytesToHex, concatBytes } from '@noble/ciphers/utils.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { md5 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { openAes } from '#platform';
import { joined, type JoinedOptions, type JoinedPart, requireMac } from './joined.ts';
import { decoders, keyFrom, keyFromHex, listOf, requireText } from './keys.ts';
import { anyOf, type Reader, reader, underKeys, valueOf } from './reader.ts';

/** The secrets of Better Auth. One of the two options is required. */
export interface BetterAuthOptions {
  /** The option `secret` of Better Auth (`BETTER_AUTH_SECRET`), for values in bare hex. */
  readonly secret?: string | undefined;
  /** The option `secrets` of Better Auth (`BETTER_AUTH_SECRETS`), for values that begin with `$ba$`. */
  readonly secrets?: readonly { readonly version: number; readonly value: string }[] | undefined;
}

/**
 * Returns a reader of the tokens that Better Auth encrypts (`encryptOAuthTokens`): bare hex under `secret`, and
 * `$ba$<version>$<hex>` under the secret of that version. A function that returns the options is called at the first old
 * value. Throws InputError for a secret that is no text or empty.
 *
 * @example
 * ```ts
 * import { betterAuth } from '@eaas/migrate/formats';
 * import { field, plaintext } from '@eaas/sdk/fields';
 *
 * const read = betterAuth({ secret: process.env.BETTER_AUTH_SECRET });
 * const accessToken = field.text({ previous: plaintext(read) });
 * ```
 */
export function betterAuth(options: BetterAuthOptions | (() => BetterAuthOptions)): Reader {
  return underKeys('Better Auth', true, [options], () => {
    const { secret, secrets = [] } = valueOf(options);
    const readers = secrets.map(({ version, value }) => betterAuthUnder(value, `$ba$${version}$`));
    const isBare = secret !== undefined || readers.length === 0;
    return isBare ? [...readers, betterAuthUnder(secret, '')] : readers;
  });
}

function betterAuthUnder(secret: string | undefined, prefix: string): Reader {
  const key = sha256(toUtf8(requireText(secret, 'each secret of `betterAuth`')));
  return reader('Better Auth', true, (stored) => {
    const bytes = stored.startsWith(prefix) ? decoders.hex(stored.slice(prefix.length)) : undefined;
    if (!bytes || bytes.length < 24 + 16) return undefined;
    return xchacha20poly1305(key, bytes.subarray(0, 24)).decrypt(bytes.subarray(24));
  });
}

/**
 * Returns a reader of `v1.aesgcm256.…`, which @47ng/cloak and prisma-field-encryption write. `keys` is one key or a list,
 * or a function that returns this and is called at the first old value. Each key is exactly as in the environment
 * (`k1.aesgcm256.…`), because a value names its key by a fingerprint of that text. Throws InputError for any other key.
 *
 * @example
 * ```ts
 * import { cloak } from '@eaas/migrate/formats';
 * import { field, plaintext } from '@eaas/sdk/fields';
 *
 * const read = cloak([process.env.CLOAK_KEY!, process.env.OLD_CLOAK_KEY!]);
 * const email = field.text({ previous: plaintext(read) });
 * ```
 */
export function cloak(keys: string | readonly string[] | (() => string | readonly string[])): Reader {
  const head = 'k1.aesgcm256.';
  const decode = (text: string) =>
    text.startsWith(head) ? decoders.base64url(text.slice(head.length)) : undefined;
  const under = (text: string): Reader => {
    const key = keyFrom(text, 'each key of `cloak`', `\`${head}\` and 32 bytes in base64url`, decode);
    const prefix = `v1.aesgcm256.${bytesToHex(sha256(toUtf8(text))).slice(0, 8)}.`;
    return joined({ key, prefix, ...cloaked });
  };
  return underKeys('@47ng/cloak', true, [keys], () => listOf(keys, 'the argument of `cloak`').map(under));
}

const cloaked = { parts: ['iv', 'ciphertext'], separator: '.', encoding: 'base64url', ivLength: 12 } as const;

/**
 * Returns a reader of Fernet tokens, as the npm package fernet and Python's cryptography write them. `keys` is one key in
 * base64url or a list, or a function that returns this and is called at the first old value. The age of a token does not matter.
 * Throws InputError for any other key.
 *
 * @example
 * ```ts
 * import { fernet } from '@eaas/migrate/formats';
 * import { field, plaintext } from '@eaas/sdk/fields';
 *
 * const phone = field.text({ previous: plaintext(fernet(process.env.FERNET_KEY!)) });
 * ```
 */
export function fernet(keys: string | readonly string[] | (() => string | readonly string[])): Reader {
  const under = (text: string): Reader => {
    const key = keyFrom(text, 'each key of `fernet`', '32 bytes in base64url', decoders.base64url);
    return reader('Fernet', true, (stored) => {
      // Version, time (8 bytes), iv (16), ciphertext, HMAC (32).
      const bytes = decoders.base64url(stored);
      if (bytes?.[0] !== 0x80 || bytes.length < 1 + 8 + 16 + 32) return undefined;
      const signed = bytes.subarray(0, -32);
      requireMac(key.subarray(0, 16), signed, bytes.subarray(-32));
      return openAes('cbc', key.subarray(16), signed.subarray(9, 25), signed.subarray(25));
    });
  };
  return underKeys('Fernet', true, [keys], () => listOf(keys, 'the argument of `fernet`').map(under));
}

/**
 * Returns a reader of what OpenSSL and CryptoJS encrypt by AES-256-CBC under a passphrase, which begins with `U2FsdGVkX1`. Key and
 * iv come from the passphrase by MD5, as in `CryptoJS.AES.encrypt(text, passphrase)` and `openssl enc -md md5`: weak, and not
 * authenticated, so convert it. `keys` is one passphrase or a list, or a function that returns this and is called at the
 * first old value. Throws InputError for an empty passphrase.
 *
 * @example
 * ```ts
 * import { opensslSalted } from '@eaas/migrate/formats';
 * import { field, plaintext } from '@eaas/sdk/fields';
 *
 * const read = opensslSalted(() => process.env.PASSPHRASE!);
 * const credentials = field.text({ previous: plaintext(read) });
 * ```
 */
export function opensslSalted(keys: string | readonly string[] | (() => string | readonly string[])): Reader {
  const under = (text: string): Reader => {
    const secret = toUtf8(requireText(text, 'each passphrase of `opensslSalted`'));
    return reader('OpenSSL', false, (stored) => {
      // "Salted__", salt (8 bytes), ciphertext.
      const bytes = /^U2FsdGVkX1[89+/]/.test(stored) ? decoders.base64(stored) : undefined;
      if (!bytes) return undefined;
      const salt = bytes.subarray(8, 16);
      const hashes = [new Uint8Array()];
      for (let at = 0; at < 3; at++) hashes.push(md5(concatBytes(hashes[at] ?? salt, secret, salt)));
      const made = concatBytes(...hashes);
      return openAes('cbc', made.subarray(0, 32), made.subarray(32), bytes.subarray(16));
    });
  };
  return underKeys('OpenSSL', false, [keys], () =>
    listOf(keys, 'the argument of `opensslSalted`').map(under),
  );
}

/**
 * Returns a reader of what n8n encrypts by AES-256-GCM, with a key and an iv that HKDF makes for each value. `opensslSalted` reads
 * what it encrypts by CBC. `keys` is one key in 64 hex digits, or a list, or a function that returns this and is called at the
 * first old value. Throws InputError for any other key.
 *
 * @example
 * ```ts
 * import { firstOf, n8n, opensslSalted } from '@eaas/migrate/formats';
 *
 * const key = () => process.env.N8N_ENCRYPTION_KEY!;
 * const read = firstOf(n8n(key), opensslSalted(key));
 * ```
 */
export function n8n(keys: string | readonly string[] | (() => string | readonly string[])): Reader {
  const under = (text: string): Reader => {
    const key = keyFromHex(text);
    return reader('n8n', true, (stored) => {
      // Version, salt (32 bytes), tag (16), ciphertext.
      const bytes = decoders.base64(stored);
      if (bytes?.[0] !== 1 || bytes.length < 1 + 32 + 16) return undefined;
      const made = hkdf(sha256, key, bytes.subarray(1, 33), toUtf8('n8n-encryption-v1'), 32 + 12);
      const sealed = concatBytes(bytes.subarray(49), bytes.subarray(33, 49));
      return openAes('gcm', made.subarray(0, 32), made.subarray(32), sealed);
    });
  };
  return underKeys('n8n', true, [keys], () => listOf(keys, 'the argument of `n8n`').map(under));
}

/** What called Laravel's encrypter. */
export interface LaravelOptions {
  /**
   * True for the texts of `encrypt()`, which PHP has serialized. Defaults to false: the texts of `encryptString()` and of
   * Eloquent's cast `encrypted`.
   */
  readonly serialized?: boolean | undefined;
}

/**
 * Returns a reader of what Laravel encrypts, with each of its four ciphers: AES-128 and AES-256 in CBC with an HMAC, or in
 * GCM. `keys` is one key or a list, each as in `APP_KEY` (`base64:…`) or, with commas, in `APP_PREVIOUS_KEYS`, or a function
 * that returns this and is called at the first old value. Throws InputError for any other key.
 *
 * @example
 * ```ts
 * import { laravel } from '@eaas/migrate/formats';
 * import { field, plaintext } from '@eaas/sdk/fields';
 *
 * const note = field.text({ previous: plaintext(laravel(process.env.APP_KEY!)) });
 * ```
 */
export function laravel(
  keys: string | readonly string[] | (() => string | readonly string[]),
  options: LaravelOptions = {},
): Reader {
  const name = options.serialized ? 'Laravel, serialized' : 'Laravel';
  const head = 'base64:';
  const decode = (text: string) =>
    text.startsWith(head) ? decoders.base64(text.slice(head.length)) : undefined;
  const under = (text: string): Reader => {
    const expected = `\`${head}\` and 16 or 32 bytes in base64`;
    const key = keyFrom(text, 'each key of `laravel`', expected, decode, [16, 32]);
    return reader(name, true, (stored) => {
      const plaintext = openLaravel(key, stored);
      return options.serialized ? unserialized(plaintext) : plaintext;
    });
  };
  return underKeys(name, true, [keys], () => [valueOf(keys)].flat().join().split(',').map(under));
}

function openLaravel(key: Uint8Array, stored: string): Uint8Array {
  const payload = JSON.parse(fromUtf8(fromBase64(stored))) as Record<string, string>;
  const { iv = '', value = '', mac = '', tag = '' } = payload;
  const nonce = fromBase64(iv);
  const body = fromBase64(value);
  const end = fromBase64(tag);
  const isGcm = mac === '' && nonce.length === 12 && end.length === 16;
  // Laravel 7 and before wrote no tag.
  if (!/^iv,value,mac(?:,tag)?$/.test(Object.keys(payload).join())) throw new Error('no payload');
  if (isGcm) return openAes('gcm', key, nonce, concatBytes(body, end));
  requireMac(key, toUtf8(iv + value), decoders.hex(mac) ?? new Uint8Array());
  return openAes('cbc', key, nonce, body);
}

/** The text in PHP's `s:5:"hello";`. */
function unserialized(bytes: Uint8Array): Uint8Array | undefined {
  const [, length, text = ''] = /^s:(\d+):"([^]*)";$/.exec(fromUtf8(bytes)) ?? [];
  const inner = toUtf8(text);
  return inner.length === Number(length) ? inner : undefined;
}

/** The options of `EncryptionTransformer` in typeorm-encrypted that its values depend on. */
export interface TypeormEncryptedOptions extends Pick<JoinedOptions, 'key'> {
  /** Values of `aes-256-cbc` are not authenticated. */
  readonly algorithm: 'aes-256-gcm' | 'aes-256-cbc';
  /** Defaults to 16. */
  readonly ivLength?: 12 | 16 | undefined;
}

/**
 * Returns a reader of what `EncryptionTransformer` of typeorm-encrypted stores in a column of text. Throws InputError for
 * another algorithm or length of the iv, and for a key that does not have 32 bytes.
 *
 * @example
 * ```ts
 * import { keyFromHex, typeormEncrypted } from '@eaas/migrate/formats';
 * import { field, plaintext } from '@eaas/sdk/fields';
 *
 * const read = typeormEncrypted({ key: keyFromHex(process.env.TYPEORM_KEY!), algorithm: 'aes-256-gcm' });
 * const iban = field.text({ previous: plaintext(read) });
 * ```
 */
export function typeormEncrypted({ key, algorithm: cipher, ivLength = 16 }: TypeormEncryptedOptions): Reader {
  const parts: JoinedPart[] = cipher === 'aes-256-cbc' ? ['iv', 'ciphertext'] : ['iv', 'tag', 'ciphertext'];
  return anyOf('typeorm-encrypted', [joined({ key, cipher, parts, encoding: 'base64', ivLength })]);
}

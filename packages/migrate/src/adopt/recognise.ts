// How `adopt` recognises a format: it tries the old keys on the shapes that a stored text can have. Nothing is a guess: a format
// counts only if it opens the text.
import { inspect } from 'node:util';
import { FormatError, InputError, toUtf8 } from '@eaas/protocol';
import { joined, type JoinedOptions, type JoinedPart, tagLengths } from '../formats/joined.ts';
import {
  decoders,
  keyFromBase64,
  keyFromHash,
  keyFromHex,
  keyFromScrypt,
  keyFromSha256,
  keyFromUtf8,
} from '../formats/keys.ts';
import { betterAuth, cloak, fernet, laravel, n8n, opensslSalted } from '../formats/libraries.ts';
import { type Reader, reader } from '../formats/reader.ts';

/** The text of an old key, and the variable that has it. */
export interface OldKey {
  readonly variable: string;
  readonly text: string;
}

/** What was made of an old key, with the code that makes it in the app. */
interface Made<T> {
  readonly result: T;
  readonly code: string;
  readonly variable: string;
}

/** The reader of a format under a key. */
export interface Known extends Made<Reader> {
  /** Returns the bytes that stand in the place of the iv. Only a format of `iv-first` has it. */
  readonly firstIv?: ((text: string) => Uint8Array | undefined) | undefined;
}

/**
 * Which formats are tried. `proven` are those that open nothing but what was encrypted so. `open` are also those without
 * authentication, which a wrong key can open. `iv-first` are only the runs of bytes of AES-CBC that begin with their iv: if the iv
 * is elsewhere, they too open each value, but without its first 16 bytes.
 */
type Trust = 'proven' | 'open' | 'iv-first';

/** Finds the format that opens all texts. */
export type Recognise = (texts: readonly string[], trust: Trust) => Known | undefined;

type Cipher = keyof typeof tagLengths;
type Shape = Omit<JoinedOptions, 'key' | 'macKey' | 'cipher'>;

export function recogniser(oldKeys: readonly OldKey[], salt?: OldKey): Recognise {
  const saltCode = salt ? `process.env.${salt.variable} ?? ''` : "'salt'";
  const scrypt = (text: string) => keyFromScrypt(text, salt?.text ?? 'salt');
  const scrypted = { [`keyFromScrypt(…, ${saltCode})`]: scrypt };
  const keys = made(oldKeys, { keyFromHex, keyFromBase64, keyFromUtf8, keyFromSha256, ...scrypted });
  const hashed = made(oldKeys, {
    "keyFromHash(…, 'sha256', 'hex')": (text) => keyFromHash(text, 'sha256', 'hex'),
    "keyFromHash(…, 'sha256', 'base64')": (text) => keyFromHash(text, 'sha256', 'base64'),
    "keyFromHash(…, 'sha512', 'hex')": (text) => keyFromHash(text, 'sha512', 'hex'),
  });
  const ofLibraries = made(oldKeys, {
    'n8n(() => …)': n8n,
    // Not authenticated, but a wrong key opens about one of a million short values, and fewer long ones.
    'opensslSalted(() => …)': opensslSalted,
    'cloak(() => …)': cloak,
    'fernet(() => …)': fernet,
    'laravel(() => …, { serialized: true })': (text) => laravel(text, { serialized: true }),
    'laravel(() => …)': laravel,
    'betterAuth(() => ({ secret: … }))': (secret) => betterAuth({ secret }),
  });

  function* candidates(text: string, trust: Trust): Generator<Known> {
    if (trust !== 'iv-first') yield* librariesFor(text);
    const shapes = shapesOf(text).filter(namesFormat);
    for (const cipher of Object.keys(tagLengths) as Cipher[]) {
      if (trust === 'proven' && tagLengths[cipher] === 0) continue;
      for (const shape of shapes) {
        if (!canHave(cipher, shape)) continue;
        if (restsOnFirstIv(cipher, shape) !== (trust === 'iv-first')) continue;
        for (const key of trust === 'proven' ? keys : [...keys, ...hashed]) {
          for (const mac of cipher === 'aes-256-cbc-hmac' ? keys : [undefined]) {
            yield {
              result: joined({ key: key.result, macKey: mac?.result, cipher, ...shape }),
              code: codeOf(shape, cipher, key.code, mac?.code),
              variable: key.variable,
              firstIv: trust === 'iv-first' ? (stored) => firstIvIn(cipher, shape, stored) : undefined,
            };
          }
        }
      }
    }
  }

  function* librariesFor(text: string): Generator<Known> {
    yield* ofLibraries;
    const [, version] = /^\$ba\$(\d+)\$/.exec(text) ?? [];
    if (version === undefined) return;
    const versioned = (value: string) => betterAuth({ secrets: [{ version: Number(version), value }] });
    const code = `betterAuth(() => ({ secrets: [{ version: ${version}, value: … }] }))`;
    yield* made(oldKeys, { [code]: versioned });
  }

  return (texts, trust) => {
    for (const known of candidates(texts[0] ?? '', trust)) {
      if (texts.every((text) => opens(known, text))) return known;
    }
    return undefined;
  };
}

/** What a reader makes of a stored text, or undefined for a text that it refuses. */
export const openedText = (read: Reader, text: string) => unlessRefused(FormatError, () => read(text));

export const opens = ({ result: read }: Known, text: string): boolean => openedText(read, text) !== undefined;

/** What functions make of the texts of old keys, without those that refuse a text. The names are the code for the app. */
function made<T>(oldKeys: readonly OldKey[], makers: Readonly<Record<string, (text: string) => T>>) {
  return oldKeys.flatMap(({ variable, text }) =>
    Object.entries(makers).flatMap(([name, make]): Made<T>[] => {
      // Also TypeScript, and an empty text is refused.
      const value = `process.env.${variable} ?? ''`;
      const code = name.includes('…') ? name.replace('…', value) : `${name}(${value})`;
      const result = unlessRefused(InputError, () => make(text));
      return result === undefined ? [] : [{ result, code, variable }];
    }),
  );
}

function unlessRefused<T>(refusal: typeof FormatError | typeof InputError, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof refusal) return undefined;
    throw error;
  }
}

/** Such as `joined({ key: () => …, parts: [ 'iv', 'ciphertext' ], encoding: 'hex' })`. */
function codeOf(shape: Shape, cipher: Cipher, key: string, macKey: string | undefined): string {
  const options = inspect(cipher === 'aes-256-gcm' ? shape : { cipher, ...shape }, { breakLength: Infinity });
  const mac = macKey === undefined ? '' : ` macKey: () => ${macKey},`;
  return `joined({ key: () => ${key},${mac}${options.slice(1)})`;
}

const encodings = ['hex', 'base64', 'base64url'] as const;
const ordersOf = (parts: readonly JoinedPart[]): JoinedPart[][] =>
  parts.length === 0
    ? [[]]
    : parts.flatMap((first) =>
        ordersOf(parts.filter((part) => part !== first)).map((rest) => [first].concat(rest)),
      );
const orders = [...ordersOf(['iv', 'ciphertext']), ...ordersOf(['iv', 'tag', 'ciphertext'])];
const lengths: Partial<Record<JoinedPart, readonly number[]>> = { iv: [12, 16], tag: [16, 32] };

/** All that no encoding has: what ends with one of the separators. */
const prefixOf = (text: string): string => /^.*[:.$|,;~]/.exec(text)?.[0] ?? '';

const shapesOf = (text: string): Shape[] => [...separatedShapes(text), ...runShapes(text)];

/** Base64url has the last one among its own characters. */
const separators = [':', '.', '$', '|', ',', ';', '~', '-'] as const;

/** The shapes of a text whose parts stand between separators. */
function* separatedShapes(text: string): Generator<Shape> {
  for (const separator of separators) {
    const pieces = text.split(separator);
    for (const parts of orders.filter(({ length }) => length <= pieces.length)) {
      const [first = '', ...others] = pieces.slice(-parts.length);
      const tail = [first.slice(prefixOf(first).length), ...others];
      const prefix = text.slice(0, text.length - tail.join(separator).length);
      for (const encoding of encodings) {
        if (separator === '-' && encoding === 'base64url') continue;
        const sizes = tail.map((piece) => decoders[encoding](piece)?.length);
        const fits = sizes.every(
          (size, at) => lengths[parts[at] as JoinedPart]?.includes(size ?? 0) ?? size !== undefined,
        );
        if (fits) yield { ...(prefix !== '' && { prefix }), parts, separator, encoding };
      }
    }
  }
}

/** The shapes of a text whose parts are one run of bytes, perhaps after a prefix that ends with a separator. */
function* runShapes(text: string): Generator<Shape> {
  const prefix = prefixOf(text);
  for (const encoding of encodings) {
    if ((decoders[encoding](text.slice(prefix.length))?.length ?? 0) > 16) {
      for (const lengths of [{}, { ivLength: 16 }, { tagLength: 12 }] as const) {
        for (const parts of orders) yield { ...(prefix !== '' && { prefix }), parts, encoding, ...lengths };
      }
    }
  }
}

const canHave = (cipher: Cipher, { parts, separator, ivLength }: Shape): boolean =>
  cipher === 'aes-256-gcm' ||
  ((separator !== undefined || ivLength === 16) && (tagLengths[cipher] > 0 || !parts.includes('tag')));

/**
 * Whether a format of AES-CBC takes the 16 bytes before the ciphertext for its iv, in one run of bytes. If the app has its iv in a
 * variable or in another column, these bytes are the first block of the value: the rest opens all the same, with right padding and
 * right UTF-8, and under an HMAC over the ciphertext alone too.
 */
const restsOnFirstIv = (cipher: Cipher, { parts, separator }: Shape): boolean =>
  cipher.startsWith('aes-256-cbc') &&
  separator === undefined &&
  parts.indexOf('iv') + 1 === parts.indexOf('ciphertext');

/** The iv of a run of bytes, which stands before the ciphertext, and behind the HMAC if that comes first. */
function firstIvIn(cipher: Cipher, { parts, prefix = '', encoding }: Shape, text: string) {
  const bytes = decoders[encoding](text.slice(prefix.length));
  const start = parts[0] === 'tag' ? tagLengths[cipher] : 0;
  return bytes?.subarray(start, start + 16);
}

/** Whether the prefix says only what the format is: a text of the value itself is neither shown nor dropped. */
const namesFormat = ({ prefix = '' }: Shape): boolean => /^(?:[\w-]{0,12}[:.$|,;~]){0,3}$/.test(prefix);

/**
 * Whether a text can be a ciphertext, even if no key opens it: what is only hex, base64 or JSON, or has the form of a known format.
 * The tokens of many providers look the same, so a person must say which is which.
 */
export function looksEncrypted(text: string): boolean {
  const dense = text.replaceAll(/[\r\n]/g, '');
  const tail = dense.slice(prefixOf(dense).length);
  const whole = decoders.hex(dense.toLowerCase()) ?? decoders.base64(dense) ?? decoders.base64url(dense);
  const decoded = whole ?? (tail.length >= 24 ? decoders.base64(tail) : undefined);
  const head = text.slice(0, 200);
  const isHead = /^(?:eaas[A-D]|\$ba\$|v1\.aesgcm256\.|gAAAAA|U2FsdGVkX1|\\x[0-9a-f]+$)/.test(head);
  const isJson = /^\s*(?:\{[^]*\}|\[[^]*\])\s*$/.test(text);
  const isRun = /^(?:[^:]{1,40}:[\w-]{38,}|(?:.{0,40}[:.$|])?[0-9a-f]{56,})=*$/i.test(head);
  const isBase64 = /^(?:.{0,40}[:.$|])?(?=.*[+/=])[A-Za-z0-9+/]{42,}={0,2}$/.test(head);
  const isKnown = isHead || isJson || isRun || isBase64 || !separatedShapes(text).next().done;
  return text !== '' && (decoded !== undefined || isKnown);
}

/** Reads plaintext, but nothing that looks like the ciphertext of another key. */
export const plainOnly: Reader = /* @__PURE__ */ reader('plaintext', false, (text) =>
  looksEncrypted(text) ? undefined : toUtf8(text),
);

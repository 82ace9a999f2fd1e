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
export type Known = Made<Reader>;

/** Finds the format that opens all texts. `trusting` also tries those without authentication, which a wrong key can open. */
export type Recognise = (texts: readonly string[], trusting: boolean) => Known | undefined;

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

  function* candidates(text: string, trusting: boolean): Generator<Known> {
    yield* ofLibraries;
    const [, version] = /^\$ba\$(\d+)\$/.exec(text) ?? [];
    const versioned = (value: string) => betterAuth({ secrets: [{ version: Number(version), value }] });
    const code = `betterAuth(() => ({ secrets: [{ version: ${version}, value: … }] }))`;
    if (version !== undefined) yield* made(oldKeys, { [code]: versioned });
    const ciphers = Object.keys(tagLengths) as Cipher[];
    for (const cipher of ciphers.filter((each) => trusting || tagLengths[each] > 0)) {
      for (const shape of shapesOf(text).filter((each) => canHave(cipher, each) && namesFormat(each))) {
        for (const key of trusting ? [...keys, ...hashed] : keys) {
          for (const mac of cipher === 'aes-256-cbc-hmac' ? keys : [undefined]) {
            yield {
              result: joined({ key: key.result, macKey: mac?.result, cipher, ...shape }),
              code: codeOf(shape, cipher, key.code, mac?.code),
              variable: key.variable,
            };
          }
        }
      }
    }
  }

  return (texts, trusting) => {
    for (const known of candidates(texts[0] ?? '', trusting)) {
      if (texts.every((text) => opens(known, text))) return known;
    }
    return undefined;
  };
}

export const opens = ({ result: read }: Known, text: string): boolean =>
  unlessRefused(FormatError, () => read(text)) !== undefined;

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

/** The shapes of a text whose parts stand between separators. */
function* separatedShapes(text: string): Generator<Shape> {
  for (const separator of ':.$|,;~') {
    const pieces = text.split(separator);
    for (const parts of orders.filter(({ length }) => length <= pieces.length)) {
      const [first = '', ...others] = pieces.slice(-parts.length);
      const tail = [first.slice(prefixOf(first).length), ...others];
      const prefix = text.slice(0, text.length - tail.join(separator).length);
      for (const encoding of encodings) {
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

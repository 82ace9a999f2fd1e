// What a reader is, and how readers are put together: `anyOf` tries the keys of one format, and `firstOf` the formats of one
// column. `joined.ts` and `libraries.ts` make the readers of single formats.
import { FormatError, fromUtf8, InputError } from '@eaas/protocol/internal';
import type { Decode } from './keys.ts';

/**
 * Reads what another tool encrypted: `field.text({ previous: plaintext(read) })` lets a field also return the old values of its
 * column. Throws FormatError for everything else. The error is the same for every cause, and quotes neither value nor key.
 */
export interface Reader {
  (stored: unknown): string;
  /** The format, in words for people. */
  readonly name: string;
  /**
   * Whether the format notices that a value was altered, or is under another key. If not, a reader with a wrong key might return
   * a wrong text: compare some plaintexts with what you expect before you convert a column.
   */
  readonly isAuthenticated: boolean;
}

/**
 * Returns the reader of a format under one key. `open` decrypts a stored text. For a text that it cannot decrypt, it returns
 * undefined or throws.
 */
export function reader(name: string, isAuthenticated: boolean, open: Decode): Reader {
  return described(name, isAuthenticated, (stored) => {
    try {
      const bytes = typeof stored === 'string' ? open(stored) : undefined;
      if (bytes) return fromUtf8(bytes);
    } catch (error) {
      // Too little memory says nothing about the value, and no other reader should take it for a value of its format.
      if (error instanceof RangeError) throw error;
    }
    throw unreadable(name);
  });
}

/** Returns a reader that returns what the first of the readers returns that does not throw FormatError. */
export function anyOf(name: string, readers: readonly Reader[]): Reader {
  const isAuthenticated = readers.every((each) => each.isAuthenticated);
  return described(name, isAuthenticated, (stored) => {
    for (const read of readers) {
      try {
        return read(stored);
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
      }
    }
    throw unreadable(name);
  });
}

/** What is given at once, or by a function that is called at the first old value. */
export type Lazy<T> = T | (() => T);

export const valueOf = <T>(given: Lazy<T>): T => (typeof given === 'function' ? (given as () => T)() : given);

/**
 * Returns what `anyOf` returns. If one of the keys is a function, the readers are made at the first value, so that the start of
 * an app needs no key, and takes no time for it.
 */
export function underKeys(
  name: string,
  isAuthenticated: boolean,
  keys: readonly unknown[],
  make: () => readonly Reader[],
): Reader {
  let made = keys.some((key) => typeof key === 'function') ? undefined : anyOf(name, make());
  return described(name, isAuthenticated, (stored) => {
    made ??= anyOf(name, make());
    return made(stored);
  });
}

/**
 * Returns a reader for a column that mixes formats: it returns what the first reader returns that can read the value. Another
 * error than FormatError ends the search. Put formats that are not authenticated behind those that are, and `asIs` last. Throws
 * InputError without readers, and if `asIs` is not the last.
 *
 * @example
 * ```ts
 * import { asIs, cloak, firstOf } from '@eaas/migrate/formats';
 *
 * const read = firstOf(cloak(process.env.CLOAK_KEY!), asIs);
 * console.log(read('never encrypted')); // never encrypted
 * ```
 */
export function firstOf(...readers: readonly Reader[]): Reader {
  if (readers.length === 0) throw new InputError('`firstOf` takes at least one reader');
  if (readers.slice(0, -1).includes(asIs)) {
    throw new InputError('`asIs` must be the last argument of `firstOf`, because it reads every text');
  }
  return anyOf(readers.map(({ name }) => name).join(', or '), readers);
}

/**
 * Reads plaintext, as the last reader of `firstOf`: it returns every text as it is, and throws FormatError only for what is no
 * text. That includes a ciphertext that no reader before it can read, which is then encrypted once more. So name all old keys,
 * and use `asIs` only for a column that has plaintext.
 *
 * @example
 * ```ts
 * import { asIs, fernet, firstOf } from '@eaas/migrate/formats';
 *
 * const read = firstOf(fernet(process.env.FERNET_KEY!), asIs);
 * console.log(read('never encrypted')); // never encrypted
 * ```
 */
export const asIs: Reader = /* @__PURE__ */ described('plaintext', false, (stored) => {
  if (typeof stored !== 'string') throw unreadable('plaintext');
  return stored;
});

export function described(name: string, isAuthenticated: boolean, read: (stored: unknown) => string): Reader {
  // A function has a property `name` already, which cannot be assigned.
  const properties = { name: { value: name }, isAuthenticated: { value: isAuthenticated } };
  return Object.defineProperties(read, properties) as Reader;
}

const unreadable = (name: string): FormatError =>
  new FormatError(
    `the stored value cannot be read as ${name}: it is of another format, was cut short or altered, or is under another key`,
  );

// Finds the data key of each ciphertext, in memory or by one request for all who wait for it, and decrypts. What was unwrapped
// for one person or user serves nobody else.
import {
  type Context,
  FormatError,
  fromUtf8,
  type Header,
  InputError,
  isBytes,
  isPromise,
  oneOf,
  openAfter,
  type OptionRules,
  requireExpectedKey,
  requireOptions,
  sealedAfter,
} from '@eaas/protocol/internal';
import { lendBase64, toBase64 } from '@eaas/protocol/internal-base64';
import { DataKeyCache, type Dropped, type Lease } from '../data-keys/cache.ts';
import { deriveDataKey, type DerivedDataKey, partitionName } from '../data-keys/derive.ts';
import { createHeaderReader } from '../data-keys/headers.ts';
import type { Engines } from '../engines/engines.ts';
import { aborted, promiseOf, notPrimed } from '../errors.ts';
import type { Limits } from '../data-keys/limits.ts';
import {
  type DataKeyCalls,
  type SubjectOption,
  unwrapOptions,
  type UnwrapOptions,
} from '../data-keys/calls.ts';
import { type Caller, keyIds, requireCall, requireKeyId, requireSubjectMatch, somebody } from '../caller.ts';
import {
  type Bundle,
  type Ciphertext,
  contextOf,
  copyContexts,
  envelopeBytes,
} from '../data-keys/ciphertext.ts';
import type { Emit } from '../events.ts';
import { settleMany, settleOne, Waiting } from './settle-many.ts';

/** The form of a decrypted value: text or bytes. */
export type DecryptedForm = 'bytes' | 'text';
/** The type of a decrypted value: `string` for the form `text`, and `Uint8Array` for the form `bytes`. */
export type DecryptedAs<Form extends DecryptedForm> = Form extends 'text' ? string : Uint8Array;

export interface ExpectedKeyOptions {
  /** The ids of the keys whose ciphertexts the call accepts. Defaults to the client's key. */
  readonly keyId?: string | readonly string[] | undefined;
  /** If true, the call accepts ciphertexts under any key. */
  readonly anyKey?: boolean | undefined;
}

/** Options of `decrypt`. */
export interface DecryptOptions<Form extends DecryptedForm = DecryptedForm>
  extends UnwrapOptions, ExpectedKeyOptions {
  /** The form of the result: `text`, or `bytes` (the default). */
  readonly as?: Form | undefined;
  /** The context with which the value was encrypted. */
  readonly context?: Context | undefined;
}

/** A ciphertext for `decryptMany`. The `context` and the `subject` of an item replace those of the call. */
export type DecryptItem =
  | string
  | Uint8Array
  | ({ readonly ciphertext: string | Uint8Array; readonly context?: Context | undefined } & SubjectOption);

export const decryptOptions: OptionRules<DecryptOptions> = {
  ...unwrapOptions,
  keyId: keyIds,
  as: /* @__PURE__ */ oneOf('bytes', 'text'),
  context: 'object',
  anyKey: 'flag',
};
const decryptItem: OptionRules<Exclude<DecryptItem, string | Uint8Array> & Bundle> = {
  ciphertext: 'anything',
  context: 'object',
  subject: somebody,
  wrapped_key: 'anything',
  iv: 'anything',
  key_id: 'anything',
  key_version: 'anything',
};

export function createDecrypter(
  calls: DataKeyCalls,
  engines: Engines,
  { decrypt: limits, patience }: Limits,
  emit: Emit,
) {
  const cache = new DataKeyCache(limits);
  const readHeader = createHeaderReader(limits.maxEntries);
  /** Whether a data key that is in memory opens a ciphertext at once. */
  const isAtOnce = engines.sync === engines.values;
  const syncForm = isAtOnce ? '' : 'sync';

  /** Checks the key and the person of a ciphertext, and looks up its data key. */
  function lookUp(
    bytes: Uint8Array,
    caller: Caller,
    options: DecryptOptions,
    form = '',
    known = readHeader(bytes),
  ) {
    if (options.signal?.aborted) throw aborted();
    const { keyId: expected = caller.keyId, anyKey, subject, wrapContext } = options;
    const { keyId, keyVersion, wrappedKey } = known.header;
    const { user, signsIn } = caller;
    if (keyId !== expected && !anyKey) {
      requireExpectedKey(keyId, { keyId: expected ?? requireKeyId(expected) }, wrappedKey);
    }
    requireSubjectMatch(wrappedKey, subject, signsIn);
    let { name } = known;
    // The name of a header that has none yet is looked up under the form `undefined`, which no call asks for.
    if (wrapContext || known.form !== form || known.subject !== subject || known.user !== user) {
      // The name has the subject and the user, so that nobody finds a data key that was unwrapped for somebody else.
      const partition = partitionName({ keyId, subject, wrapContext }, user);
      name = `${partition}/${keyVersion}${form}/${toBase64(wrappedKey)}`;
      if (!wrapContext) {
        known.subject = subject;
        known.user = user;
        known.form = form;
        known.name = name;
      }
    }
    return { known, name, key: cache.find(name)?.key };
  }
  type Found = ReturnType<typeof lookUp>;

  function fetchKey(
    { name, known: { header, bytes } }: Found,
    caller: Caller,
    { subject, wrapContext }: DecryptOptions,
    withSync: boolean,
  ): Lease {
    const arriving = cache.arriving(name);
    if (arriving) return arriving;
    const request = async (): Promise<DerivedDataKey> => {
      // The request does not get the caller's signal, because other calls might wait for the same data key.
      const derive = (dek: Uint8Array) => deriveDataKey(engines, dek, header, withSync, bytes);
      const key = await calls.open(header, { subject, wrapContext }, caller, derive);
      emit({ type: 'data_key.unwrapped', keyId: key.keyId, keyVersion: key.keyVersion });
      return key;
    };
    return limits.maxEntries === 0 ? cache.requestOnce(request) : cache.request(name, subject, request);
  }

  /** A ciphertext whose data key was looked up. `bytes` may be lent, so `start` is called before anything else is read. */
  interface Prepared {
    readonly ciphertext: Ciphertext;
    readonly bytes: Uint8Array;
    readonly found: Found;
  }

  function prepare(ciphertext: Ciphertext, caller: Caller, options: DecryptOptions): Prepared {
    const bytes = envelopeBytes(ciphertext, lendBase64);
    return { ciphertext, bytes, found: lookUp(bytes, caller, options) };
  }

  /** Decrypts at once if the data key is in memory, and waits for it otherwise. */
  function start(
    { ciphertext, bytes, found }: Prepared,
    caller: Caller,
    options: DecryptOptions,
    context: Context | undefined,
  ): Decrypted | Promise<Decrypted> | Waiting<Decrypted> {
    const { header } = found.known;
    if (found.key) return open(found.key, header, bytes, options.as, context);
    // Copies the context and bytes, because both can change before the data key arrives. A text cannot.
    const own = typeof ciphertext === 'string' ? ciphertext : new Uint8Array(bytes);
    const ownContext = contextOf(context);
    const run = (key: DerivedDataKey) =>
      open(key, header, envelopeBytes(own, lendBase64), options.as, ownContext);
    return new Waiting(fetchKey(found, caller, options, false), run);
  }

  return {
    openerFor(caller: Caller, options: DecryptOptions): Opener | undefined {
      requireCall(decryptOptions, options, 'decryptMany', caller);
      if (!isAtOnce) return undefined;
      const optionsFor = optionsByPerson(options);
      return (ciphertext, context, subject) => {
        const own = optionsFor(subject);
        const bytes = envelopeBytes(ciphertext, lendBase64);
        const { known, key } = lookUp(bytes, caller, own);
        return key && (open(key, known.header, bytes, 'bytes', context) as Uint8Array);
      };
    },
    decrypt: (ciphertext: Ciphertext, caller: Caller, options: DecryptOptions): Promise<Decrypted> =>
      promiseOf(() => {
        requireCall(decryptOptions, options, 'decrypt', caller);
        const prepared = prepare(ciphertext, caller, options);
        return settleOne(start(prepared, caller, options, options.context), options.signal, patience);
      }),
    decryptMany: async (items: readonly DecryptItem[], caller: Caller, options: DecryptOptions) => {
      requireCall(decryptOptions, options, 'decryptMany', caller);
      const optionsFor = optionsByPerson(options);
      const own = optionsFor();
      // The data key of the item before is looked up once for a run of items with the same header.
      let last: Found | undefined;
      const startItem = (item: DecryptItem) => {
        if (typeof item === 'string' || isBytes(item)) {
          const bytes = envelopeBytes(item, lendBase64);
          const known = readHeader(bytes);
          if (!last?.key || known !== last.known) last = lookUp(bytes, caller, own, '', known);
          return start({ ciphertext: item, bytes, found: last }, caller, own, own.context);
        }
        last = undefined;
        requireOptions<object>(decryptItem, item, 'an item of decryptMany');
        const ofPerson = optionsFor(item.subject);
        const { context = ofPerson.context } = item;
        return start(prepare(item.ciphertext ?? item, caller, ofPerson), caller, ofPerson, context);
      };
      return settleMany(items, startItem, options.signal, patience);
    },
    decryptSync(ciphertext: Ciphertext, caller: Caller, options: DecryptOptions): Decrypted {
      requireCall(decryptOptions, options, 'decryptSync', caller);
      const bytes = envelopeBytes(ciphertext, lendBase64);
      const { known, key } = lookUp(bytes, caller, options, syncForm);
      const sync = key && picked(key, known.header, bytes).sync;
      if (!sync) {
        calls.erasures.refuse(options.subject);
        throw notPrimed("this ciphertext's data key is not in memory");
      }
      const plaintext = openAfter(sync, known.header, bytes, options.context);
      return options.as === 'text' ? textOf(plaintext) : plaintext;
    },
    async prime(ciphertexts: Iterable<Ciphertext>, caller: Caller, options: DecryptOptions): Promise<void> {
      const wanted = new Map<string, Found>();
      for (const ciphertext of ciphertexts) {
        const found = lookUp(envelopeBytes(ciphertext), caller, options, syncForm);
        wanted.set(found.name, found);
      }
      if (wanted.size > limits.maxEntries) {
        throw new InputError(
          `the ciphertexts need ${wanted.size} data keys, but the cache keeps at most ` +
            `${limits.maxEntries}: raise \`cache.decrypt.maxEntries\``,
        );
      }
      const fetching = Array.from(wanted.values(), async (found) => {
        if (!found.key) {
          await fetchKey(found, caller, options, true).use(() => undefined, options.signal, patience);
        }
      });
      await Promise.all(fetching);
    },
    drop: (subject: Dropped): void => cache.drop(subject),
    close: (): void => cache.close(),
  };
}

export type Decrypted = Uint8Array | string;

/** Opens a ciphertext whose data key is in memory, and returns undefined for another. */
export type Opener = (
  ciphertext: string | Uint8Array,
  context: Context,
  subject?: string,
) => Uint8Array | undefined;

/** Copies the options of a call. Returns those of each person, whose items usually follow each other. */
function optionsByPerson(options: DecryptOptions): (subject?: string) => DecryptOptions {
  const own = copyContexts(options);
  let last = own;
  return (subject = own.subject) => {
    if (subject !== last.subject) last = { ...own, subject: subject as string };
    return last;
  };
}

/** With several halves, the data key of the one under which the envelope is. */
const picked = (key: DerivedDataKey, header: Header, bytes: Uint8Array): DerivedDataKey =>
  key.pick?.(sealedAfter(header, bytes)) ?? key;

function open(
  key: DerivedDataKey,
  header: Header,
  bytes: Uint8Array,
  as: DecryptedForm | undefined,
  context: Context | undefined,
): Decrypted | Promise<Decrypted> {
  const plaintext = openAfter(picked(key, header, bytes).values, header, bytes, context);
  if (as !== 'text') return plaintext;
  return isPromise<Uint8Array>(plaintext) ? plaintext.then(textOf) : textOf(plaintext);
}

function textOf(plaintext: Uint8Array): string {
  try {
    return fromUtf8(plaintext);
  } catch {
    // It has been authenticated, so what it is not tells nobody anything.
    throw new FormatError("the value is no text in UTF-8: leave out `as: 'text'` to get its bytes");
  }
}

// `createIntake`: encrypts with a public key, for pages and programs that have no credentials and must not decrypt.
import { type Context, InputError, type Wrapped } from '@eaas/protocol';
import { type IntakePublicKey, parsePublicKey, wrapForIntake } from '@eaas/protocol/intake';
import { isBytes, type OptionRules, requireOptions } from '@eaas/protocol/internal';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';
import {
  contextOf,
  type EncryptedAs,
  type EncryptedForm,
  requireDek,
  sealAs,
  sealedForm,
  sealing,
} from '../data-keys/ciphertext.ts';
import { deriveDataKey, type DerivedDataKey, wipe } from '../data-keys/derive.ts';
import type { Engines } from '../engines/engines.ts';
import { aborted, promiseOf, type Settled, settleEach } from '../errors.ts';
import type { EncryptItem, EncryptOptions } from '../client/encrypt.ts';
import { type Inside, inside } from '../client/inside.ts';
import type { WrapOptions } from '../data-keys/calls.ts';

/** Options of `createIntake`. */
export interface IntakeOptions {
  /** The text of a public key, which begins with `eaas_pk_1.`: the `intake_public_key` that the service returns. */
  readonly publicKey: string;
}

type IntakeEncryptOptions<Form extends EncryptedForm = EncryptedForm> = Pick<
  EncryptOptions<Form>,
  'as' | 'context' | 'wrapContext'
>;
/** A writer cannot name a subject: the first rewrap with one makes the value that person's. */
type IntakeWrapOptions = Omit<WrapOptions, 'subject'>;
/** A value for `encryptMany`. The `context` of an item replaces the `context` of the call. */
type IntakeItem = string | Uint8Array | Omit<Exclude<EncryptItem, string | Uint8Array>, 'subject'>;

/** Encrypts with a public key. Makes no request, and cannot decrypt. */
export interface Intake {
  /** The id of the key that decrypts the ciphertexts of this object. */
  readonly keyId: string;
  /** The key version to which the public key belongs. */
  readonly keyVersion: number;
  /** @ignore */
  readonly [inside]: Inside;
  /**
   * Encrypts text or bytes under a new data key. Throws InputError for an invalid argument or public key, and LoadError
   * if a file that this platform needs could not be loaded.
   */
  encrypt<Form extends EncryptedForm = 'text'>(
    value: string | Uint8Array,
    options?: IntakeEncryptOptions<Form>,
  ): Promise<EncryptedAs<Form>>;
  /**
   * Encrypts many values under one new data key, so that one unwrap is enough to decrypt all of them. The results are
   * in the order of the values. If one value fails, the others still succeed.
   */
  encryptMany<Form extends EncryptedForm = 'text'>(
    items: readonly IntakeItem[],
    options?: IntakeEncryptOptions<Form>,
  ): Promise<Settled<EncryptedAs<Form>>[]>;
  /**
   * Loads the code that this platform needs, and checks that encryption with the public key works. Later calls need no
   * network. Throws LoadError if a file could not be loaded.
   */
  prime(): Promise<void>;
  /** Wraps a data key (DEK, 32 bytes) that the app generated. Overwrite the DEK after use. */
  wrap(dek: Uint8Array, options?: IntakeWrapOptions): Promise<Wrapped>;
}

const encryptOptions: OptionRules<IntakeEncryptOptions> = {
  as: sealedForm,
  context: 'object',
  wrapContext: 'object',
};
const wrapOptions: OptionRules<IntakeWrapOptions> = {
  signal: 'signal',
  wrapContext: 'object',
  keyId: 'anything',
};
const engines: Engines = { values: webCryptoEngine, sync: undefined, streams: webCryptoEngine };

/**
 * Returns an object that encrypts with a public key. Pages and programs without credentials can use this object. Throws
 * InputError for a public key that was altered or truncated, and on a platform without WebCrypto.
 *
 * @example
 * ```ts
 * import { createIntake } from '@eaas/sdk/intake';
 *
 * const { key_id } = await eaas.keys.create({ name: 'letters', intake: true });
 * const { intake_public_key } = await eaas.publicKey(key_id);
 * const intake = createIntake({ publicKey: intake_public_key! }); // in a page, without credentials
 * const ciphertext = await intake.encrypt('Call me back');
 * console.log(await eaas.decrypt(ciphertext, { keyId: key_id, as: 'text' })); // Call me back
 * ```
 */
export function createIntake(options: IntakeOptions): Intake {
  requireOptions({ publicKey: 'anything' }, options, 'createIntake');
  const publicKey = parsePublicKey(options.publicKey);
  if (!globalThis.crypto?.subtle) {
    throw new InputError('this page has no `crypto.subtle`: serve the page over https or from localhost');
  }
  const { keyId, keyVersion } = publicKey;

  return {
    keyId,
    keyVersion,
    [inside]: { engines },
    encrypt: (async (value: string | Uint8Array, given: IntakeEncryptOptions = {}) => {
      requireOptions(encryptOptions, given, 'encrypt');
      const seal = sealing(sealAs(given.as), value, given.context);
      const key = await createDataKey(publicKey, given.wrapContext);
      return promiseOf(() => seal(key)).finally(() => wipe(key));
    }) as Intake['encrypt'],
    encryptMany: (async (items: readonly IntakeItem[], given: IntakeEncryptOptions = {}) => {
      requireOptions(encryptOptions, given, 'encryptMany');
      const seal = sealAs(given.as);
      const shared = contextOf(given.context);
      const creating = createDataKey(publicKey, contextOf(given.wrapContext));
      return settleEach(items, (item) => {
        if (typeof item === 'string' || isBytes(item)) return creating.then(sealing(seal, item, shared));
        requireOptions({ value: 'anything', context: 'object' }, item, 'an item of encryptMany');
        const { value, context = shared } = item;
        return creating.then(sealing(seal, value, context));
      }).finally(() => void creating.then(wipe, () => undefined));
    }) as Intake['encryptMany'],
    prime: () => wrapForIntake(publicKey, new Uint8Array(32)).then(() => undefined),
    async wrap(dek, given = {}) {
      requireOptions(wrapOptions, given, 'wrap');
      if (given.signal?.aborted) throw aborted();
      const id: unknown = given.keyId ?? keyId;
      if (String(id).toLowerCase() !== keyId) {
        throw new InputError(`\`keyId\` must be ${keyId}, the key id in \`publicKey\`, or be omitted`);
      }
      requireDek(dek);
      return wrapForIntake(publicKey, dek, given.wrapContext);
    },
  };
}

async function createDataKey(publicKey: IntakePublicKey, wrapContext?: Context): Promise<DerivedDataKey> {
  const dek = crypto.getRandomValues(new Uint8Array(32));
  try {
    return await deriveDataKey(engines, dek, await wrapForIntake(publicKey, dek, wrapContext), false);
  } finally {
    dek.fill(0);
  }
}

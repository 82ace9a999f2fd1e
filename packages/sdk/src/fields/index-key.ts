import { InputError, type Wrapped } from '@eaas/protocol/internal-core';
import {
  formatIndexKey,
  indexKeyContext as wrapContext,
  parseIndexKey,
  toHex,
} from '@eaas/protocol/internal';
import {
  anything,
  having,
  kindOf,
  type OptionRules,
  requireKind,
  requireOptions,
  signal,
} from '@eaas/protocol/internal-options';
import type { WrapOptions } from '../transport/data-key-calls.ts';
import type { EnvelopeClient } from '../client/envelope-client.ts';
import { ClientError, ServiceError } from '../errors.ts';
import { type Mac, macUnder } from '#engines';

/** The key that wraps an index key. Defaults to the key of the client. */
export type IndexKeyOptions = Omit<WrapOptions, 'wrapContext' | 'subject'>;

export const indexKinds = "'service' or a token from `createIndexKey`";

const aClient = /* @__PURE__ */ having('a client', 'wrap');
const indexKeyOptions: OptionRules<IndexKeyOptions> = { keyId: anything, signal };

/**
 * Creates an index key and returns its token. Each call creates a **new** index key: call `createIndexKey` once, and
 * store the token, for example in the configuration of the app. The token contains 32 random bytes, wrapped by the
 * service. This process computes fingerprints with these bytes. The token is useless without the service. If you lose
 * the token, you can still decrypt, but no longer search. Throws EaasError if the service refuses.
 */
export async function createIndexKey(
  client: Pick<EnvelopeClient, 'wrap'>,
  options: IndexKeyOptions = {},
): Promise<string> {
  requireKind(aClient, client, 'the first argument');
  requireOptions(indexKeyOptions, options, 'createIndexKey');
  return wrapAndWipe(client, crypto.getRandomValues(new Uint8Array(32)), options);
}

/**
 * Wraps an index key again: under the newest version of the same key, or under a different key. Returns the new token.
 * The indexes stay valid. Throws InputError for a value that is not a token, and EaasError if the service refuses.
 */
export async function rewrapIndexKey(
  client: Pick<EnvelopeClient, 'wrap' | 'unwrap'>,
  token: string,
  options: IndexKeyOptions = {},
): Promise<string> {
  requireKind(aClient, client, 'the first argument');
  requireOptions(indexKeyOptions, options, 'rewrapIndexKey');
  const wrapped = parseToken(token);
  const { keyId = wrapped.keyId, signal } = options;
  return wrapAndWipe(client, await unwrapped(client, wrapped, signal), { keyId, signal });
}

async function unwrapped(client: Unwrapping, wrapped: Wrapped, signal?: AbortSignal): Promise<Uint8Array> {
  return client.unwrap(wrapped, { wrapContext, signal }).catch((error: ServiceError) => {
    if (error.code !== 'not_found') throw error;
    const problem = `the index key was made with the key ${wrapped.keyId}, which this service or API key lacks`;
    throw new ServiceError('not_found', `${problem}: is it the index key of another environment?`, error);
  });
}

async function wrapAndWipe(
  client: Pick<EnvelopeClient, 'wrap'>,
  key: Uint8Array,
  options: IndexKeyOptions,
): Promise<string> {
  try {
    return formatIndexKey(await client.wrap(key, { ...options, wrapContext }));
  } finally {
    key.fill(0);
  }
}

function parseToken(token: string): Wrapped {
  const wrapped = parseIndexKey(token);
  if (wrapped) return wrapped;
  const got = typeof token === 'string' ? 'another string' : kindOf(token);
  throw new InputError(`\`index\` must be ${indexKinds} (got ${got})`);
}

type Unwrapping = Pick<EnvelopeClient, 'unwrap'>;

export function indexKeyOf(token: string) {
  const wrapped = parseToken(token);
  let key: Promise<Mac> | undefined;
  let isDropped = false;

  async function load(client: Unwrapping): Promise<Mac> {
    try {
      const bytes = (await unwrapped(client, wrapped)) as Uint8Array<ArrayBuffer>;
      return await macUnder(bytes).finally(() => bytes.fill(0));
    } catch (error) {
      key = undefined;
      throw error;
    }
  }

  return {
    /** The first caller unwraps the index key, and all others share it. */
    async mac(client: Unwrapping, subject: Uint8Array<ArrayBuffer>): Promise<string> {
      if (isDropped) throw new ClientError('closed', 'the records were closed');
      key ??= load(client);
      return toHex(await (await key)(subject));
    },
    drop(): void {
      isDropped = true;
      key = undefined;
    },
  };
}

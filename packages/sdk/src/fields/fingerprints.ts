// Fingerprints of values, by an index key or by the service.
import {
  formatIndexKey,
  having,
  indexKeyContext as wrapContext,
  InputError,
  otherKindOf,
  pae,
  parseIndexKey,
  requireKind,
  requireOptions,
  toHex,
  type Wrapped,
} from '@eaas/protocol/internal';
import { toBase64 } from '@eaas/protocol/internal-base64';
import { macUnder } from '#mac';
import { requireKeyId } from '../caller.ts';
import type { EnvelopeClient } from '../client/envelope-client.ts';
import { inside } from '../client/inside.ts';
import { ClientError, once, ServiceError, settleEach } from '../errors.ts';
import type { CallOptions } from '../http/transport.ts';
import { hashOptions, type HashOptions, type WrapOptions } from '../data-keys/calls.ts';
import type { FieldsClient } from './internals.ts';
import type { IndexPlan } from './plan.ts';

/**
 * Where fingerprints are computed. With `service`, the service computes fingerprints and sees every stored or searched
 * value. With a token from `createIndexKey`, this process computes fingerprints, and the service never sees a value. With
 * `half`, so does a client that has a half, whose index key needs no token.
 */
export type IndexSource = 'service' | 'half' | (string & {});

/** What gets a fingerprint: a value, or a part of one. */
export interface FingerprintInput {
  readonly plan: IndexPlan;
  readonly bytes: string | Uint8Array;
}

export type Fingerprints = ReturnType<typeof fingerprintsOf>;

type Wrapping = Pick<EnvelopeClient, 'wrap'>;
type Unwrapping = Pick<EnvelopeClient, 'unwrap'> & Partial<Pick<EnvelopeClient, typeof inside | 'keyId'>>;

export function fingerprintsOf(given: readonly IndexSource[]) {
  const sources = given.map((source) => (source === 'service' ? source : indexKeyOf(source)));

  /** The service never computes fingerprints of parts: parts are easy to guess, so only index keys protect them. */
  const tasksOf = ({ plan }: FingerprintInput) =>
    sources.flatMap((source) => {
      const isLocal = typeof source === 'object';
      if (!isLocal && plan.name !== undefined) return [];
      const keyIds = ((!isLocal || source.isHalf) && plan.fields[0].keyIds) || [undefined];
      return keyIds.flatMap((keyId) => plan.labels.map((label) => ({ source, keyId, label })));
    });

  return {
    /**
     * Returns, for each input, its fingerprints under every key, index key, half and name, or with `isStored` only those of
     * the first, of which the first is stored.
     */
    async of(
      client: FieldsClient,
      inputs: readonly FingerprintInput[],
      { signal }: CallOptions,
      isStored = false,
    ) {
      const sought = inputs.map((input) => {
        const { plan, bytes } = input;
        const tasks = tasksOf(input).slice(0, isStored ? 1 : undefined);
        return settleEach(tasks, async ({ source, keyId, label }) => {
          const preimage = pae(...label, bytes);
          const whole =
            typeof source === 'object'
              ? await source.macs(client, preimage, { keyId, signal })
              : [await client.hash(toBase64(preimage), { keyId, signal })];
          return whole.map((fingerprint) => cut(fingerprint, plan.index.bits));
        });
      });
      return Promise.all(sought);
    },
    drop(): void {
      for (const source of sources) if (typeof source === 'object') source.drop();
    },
  };
}

function cut(fingerprint: string, bits: number): string {
  const digits = Math.ceil(bits / 4);
  const last = Number.parseInt(fingerprint.charAt(digits - 1), 16) & (0xf << (digits * 4 - bits));
  return fingerprint.slice(0, digits - 1) + last.toString(16);
}

export const indexKinds = "'service' or a token from `createIndexKey`, or 'half' for a client with a half";

const aClient = /* @__PURE__ */ having('a client', 'wrap');

/**
 * Creates an index key and returns its token. Each call creates a **new** index key: call `createIndexKey` once, and
 * store the token, for example in the configuration of the app. The token contains 32 random bytes, wrapped by the
 * service. This process computes fingerprints with these bytes. The token is useless without the service. If you lose
 * the token, you can still decrypt, but no longer search. Throws EaasError if the service refuses.
 *
 * @example
 * ```ts
 * import { createIndexKey } from '@eaas/sdk/fields';
 *
 * const token = await createIndexKey(eaas);
 * await store(token); // once, for example as EAAS_INDEX_KEY
 * ```
 */
export async function createIndexKey(
  client: Pick<EnvelopeClient, 'wrap'>,
  options: HashOptions = {},
): Promise<string> {
  requireKind(aClient, client, 'the first argument');
  requireOptions(hashOptions, options, 'createIndexKey');
  return wrapAndWipe(client, crypto.getRandomValues(new Uint8Array(32)), options);
}

/**
 * Wraps an index key again: under the newest version of the same key, or under a different key. Returns the new token.
 * The indexes stay valid. Throws InputError for a value that is not a token, and EaasError if the service refuses.
 *
 * @example
 * ```ts
 * import { rewrapIndexKey } from '@eaas/sdk/fields';
 *
 * await eaas.keys.rotate(keyId);
 * await store(await rewrapIndexKey(eaas, process.env.EAAS_INDEX_KEY!)); // in place of the old token
 * ```
 */
export async function rewrapIndexKey(
  client: Pick<EnvelopeClient, 'wrap' | 'unwrap'>,
  token: string,
  options: HashOptions = {},
): Promise<string> {
  requireKind(aClient, client, 'the first argument');
  requireOptions(hashOptions, options, 'rewrapIndexKey');
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

async function wrapAndWipe(client: Wrapping, key: Uint8Array, options: HashOptions): Promise<string> {
  try {
    return formatIndexKey(await client.wrap(key, { ...options, wrapContext }));
  } finally {
    key.fill(0);
  }
}

function parseToken(token: string): Wrapped {
  const wrapped = parseIndexKey(token);
  if (wrapped) return wrapped;
  throw new InputError(`\`index\` must be ${indexKinds} (got ${otherKindOf(token)})`);
}

export function indexKeyOf(token: string) {
  const wrapped = token === 'half' ? undefined : parseToken(token);
  const unwrap = async (client: Unwrapping) => wrapped && unwrapped(client, wrapped);
  // The first caller unwraps the index key, and all others share it.
  const opened = () => ({
    key: once(unwrap),
    mac: once(async (client: Unwrapping) => {
      const bytes = (await unwrap(client)) as Uint8Array<ArrayBuffer>;
      return macUnder(bytes).finally(() => bytes.fill(0));
    }),
  });
  let shared: ReturnType<typeof opened> | undefined = opened();

  return {
    isHalf: !wrapped,
    /** Returns a fingerprint for each half. */
    async macs(client: Unwrapping, preimage: Uint8Array<ArrayBuffer>, of: WrapOptions = {}) {
      if (!shared) {
        throw new ClientError(
          'closed',
          'these records were closed: close them only when nothing uses them any more',
        );
      }
      const { key, mac } = shared;
      const halves = client[inside]?.halves;
      if (!halves) return [toHex(await (await mac(client))(preimage))];
      // Each half makes an index key of the token's key, and another answer of a function another one.
      const keyId = requireKeyId(wrapped?.keyId ?? of.keyId ?? client.keyId);
      const loaded = await halves.load();
      const made = await loaded.macs({ ...of, keyId }, () => key(client), preimage);
      return made.map((one) => toHex(one));
    },
    drop(): void {
      // Calls that run still use what it has.
      shared = undefined;
    },
  };
}

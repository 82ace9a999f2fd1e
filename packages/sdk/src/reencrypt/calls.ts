import type { Context, Wrapped } from '@eaas/protocol';
import type { Rewrapped } from '../call-options.ts';
import { EaasError, type Settled } from '../errors.ts';
import type { Opening, ReencryptClient, Sealing } from './plan.ts';

/** A client's calls for many values, of which each may ask for other options. */
export interface Calls {
  /** The key that is used, and expected, where no option names one. */
  readonly keyId: string | undefined;
  seal(
    items: readonly { readonly value: string | Uint8Array; readonly sealing: Sealing }[],
  ): Promise<Settled<string>[]>;
  open(
    items: readonly { readonly bytes: Uint8Array; readonly opening: Opening }[],
  ): Promise<Settled<Uint8Array>[]>;
  rewrap(
    items: readonly { readonly bytes: Uint8Array; readonly wrapContext: Context | undefined }[],
  ): Promise<Settled<Rewrapped>[]>;
  unwrap(wrapped: Wrapped, wrapContext: Context | undefined): Promise<Uint8Array>;
}

export function callsOf(client: ReencryptClient, signal: AbortSignal | undefined): Calls {
  return {
    keyId: client.keyId,
    seal: async (items) => {
      const sealed = await inGroups(
        items.map(({ value, sealing: { context, ...options } }) => ({ item: { value, context }, options })),
        (group, options) => client.encryptMany(group, { ...options, signal }),
      );
      return sealed.map((one) => (one.ok ? { ok: true, value: one.value.ciphertext } : one));
    },
    open: (items) =>
      inGroups(
        items.map(({ bytes, opening: { context, ...options } }) => ({
          item: { ciphertext: bytes, context },
          options,
        })),
        (group, options) => client.decryptMany(group, { ...options, signal }),
      ),
    rewrap: (items) =>
      inGroups(
        items.map(({ bytes, wrapContext }) => ({ item: bytes, options: { wrapContext } })),
        (group, options) => client.rewrapMany(group, { ...options, signal }),
      ),
    unwrap: (wrapped, wrapContext) => client.unwrap(wrapped, { wrapContext, signal }),
  };
}

/** One call for all that have the same options. A call that fails as a whole fails for each of its items. */
async function inGroups<Item, Options, Result>(
  asked: readonly { readonly item: Item; readonly options: Options }[],
  call: (items: Item[], options: Options) => Promise<Settled<Result>[]>,
): Promise<Settled<Result>[]> {
  const groups = new Map<string, { options: Options; indexes: number[] }>();
  asked.forEach(({ options }, index) => {
    const name = JSON.stringify(options);
    const group = groups.get(name);
    if (group) group.indexes.push(index);
    else groups.set(name, { options, indexes: [index] });
  });
  const results: Settled<Result>[] = [];
  // At the same time, so that the client can put what they need into one request.
  await Promise.all(
    Array.from(groups.values(), async ({ options, indexes }) => {
      const items = indexes.map((index) => (asked[index] as { item: Item }).item);
      const settled = await call(items, options).catch((error: unknown): Settled<Result>[] => {
        if (!(error instanceof EaasError)) throw error;
        return items.map(() => ({ ok: false, error }));
      });
      indexes.forEach((index, at) => (results[index] = settled[at] as Settled<Result>));
    }),
  );
  return results;
}

// What the calls on rows have in common: the part of a client that they use, their options, and one call for all values of a key.
import type { OptionRules } from '@eaas/protocol/internal';
import type { EnvelopeClient } from '../client/envelope-client.ts';
import type { inside } from '../client/inside.ts';
import type { EncryptOptions } from '../client/encrypt.ts';
import { type UnwrapOptions, unwrapOptions } from '../data-keys/calls.ts';
import type { Fingerprints } from './fingerprints.ts';
import type { FieldPlan, Plans } from './plan.ts';
import type { RecordId } from './row-types.ts';

/** The methods of an `EaasClient` that encrypted fields call. */
export type FieldsClient = Pick<EnvelopeClient, 'as' | 'encryptMany' | 'decryptMany' | 'hash' | 'unwrap'> &
  Partial<Pick<EnvelopeClient, typeof inside | 'keyId'>>;

export interface Internals {
  readonly client: FieldsClient;
  readonly plans: Plans;
  readonly fingerprints: Fingerprints;
}

/** Options of calls that encrypt or decrypt rows. */
export interface RowOptions extends Pick<UnwrapOptions, 'wrapContext' | 'signal'> {
  /** The person whose data the rows are. Only for tables whose definition has no `subject`. */
  readonly subject?: string;
}

/** Options of calls that encrypt rows. */
export interface EncryptRowOptions extends RowOptions, Pick<EncryptOptions, 'scope'> {}

export const rowOptions: OptionRules<RowOptions> = unwrapOptions;
export const encryptRowOptions: OptionRules<EncryptRowOptions> = { ...rowOptions, scope: 'text' };

export type Row = Record<string, unknown>;
export type IdOf = (row: Row) => RecordId | undefined;

/** Makes one call for all values under the same keys. Returns the results in the order of the values. */
export async function callByKeys<Item, Result>(
  cells: readonly { readonly plan: FieldPlan; readonly item: Item }[],
  call: (items: Item[], keyIds: FieldPlan['keyIds']) => Promise<readonly Result[]>,
): Promise<(Result | undefined)[]> {
  const results = Array.from<Result | undefined>({ length: cells.length });
  const groups = new Map<
    string | undefined,
    { keyIds: FieldPlan['keyIds']; items: Item[]; places: number[] }
  >();
  cells.forEach(({ plan: { keyIds }, item }, place) => {
    const name = keyIds?.join();
    const group = groups.get(name) ?? { keyIds, items: [], places: [] };
    if (group.items.push(item) === 1) groups.set(name, group);
    group.places.push(place);
  });
  const calls = Array.from(groups.values(), async ({ keyIds, items, places }) => {
    const found = await call(items, keyIds);
    places.forEach((place, at) => (results[place] = found[at]));
  });
  await Promise.all(calls);
  return results;
}

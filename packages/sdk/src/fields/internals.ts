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
export interface EncryptRowOptions extends RowOptions, Pick<EncryptOptions, 'scope'> {
  /**
   * Whether the rows hold values, and no copies of handles. By default, `[concealed]` and an empty object are refused in concealed
   * columns, because they are what JSON and copies make of a handle.
   */
  readonly revealed?: boolean | undefined;
}

export const rowOptions: OptionRules<RowOptions> = unwrapOptions;
export const encryptRowOptions: OptionRules<EncryptRowOptions> = {
  ...rowOptions,
  scope: 'text',
  revealed: 'flag',
};

export type Row = Record<string, unknown>;
export type IdOf = (row: Row) => RecordId | undefined;

/** Makes one call for the items of each group. Returns the results in the order of the items. */
export async function callByGroup<Item, Group, Result>(
  items: readonly Item[],
  groupOf: (item: Item) => Group,
  call: (own: Item[], group: Group) => Promise<readonly Result[] | void>,
): Promise<(Result | undefined)[]> {
  const results = Array.from<Result | undefined>({ length: items.length });
  const groups = new Map<Group, { own: Item[]; places: number[] }>();
  for (const [place, item] of items.entries()) {
    const group = groups.get(groupOf(item)) ?? { own: [], places: [] };
    if (group.own.push(item) === 1) groups.set(groupOf(item), group);
    group.places.push(place);
  }
  const calls = Array.from(groups, async ([group, { own, places }]) => {
    const found = await call(own, group);
    places.forEach((place, at) => {
      results[place] = found?.[at];
    });
  });
  await Promise.all(calls);
  return results;
}

/** The group of the values under the same keys. */
export const keysOf = ({ plan }: { readonly plan: FieldPlan }): string | undefined => plan.keyIds?.join();

export const itemsOf = <Item>(cells: readonly { readonly item: Item }[]): Item[] =>
  cells.map(({ item }) => item);

import type { OptionRules } from '@eaas/protocol/internal';
import type { EnvelopeClient } from '../client/envelope-client.ts';
import type { inside } from '../client/inside.ts';
import type { EncryptOptions } from '../client/encrypt.ts';
import type { UnwrapOptions } from '../data-keys/calls.ts';
import { somebody } from '../caller.ts';
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

export const rowOptions: OptionRules<RowOptions> = {
  subject: somebody,
  wrapContext: 'object',
  signal: 'signal',
};
export const encryptRowOptions: OptionRules<EncryptRowOptions> = { ...rowOptions, scope: 'text' };

export type Row = Record<string, unknown>;
export type IdOf = (row: Row) => RecordId | undefined;

/** Makes one call for all values under the same keys. Returns the results in the order of the values. */
export async function callByKeys<Item, Result>(
  cells: readonly { readonly plan: FieldPlan; readonly item: Item }[],
  call: (items: Item[], keyIds: FieldPlan['keyIds']) => Promise<readonly Result[]>,
): Promise<(Result | undefined)[]> {
  const keys = new Map(cells.map(({ plan: { keyIds } }) => [keyIds?.join(), keyIds]));
  const found = new Map<Item, Result | undefined>();
  const calls = Array.from(keys, async ([name, keyIds]) => {
    const items = cells.flatMap(({ plan, item }) => (plan.keyIds?.join() === name ? [item] : []));
    for (const [at, result] of (await call(items, keyIds)).entries()) found.set(items[at] as Item, result);
  });
  await Promise.all(calls);
  return cells.map(({ item }) => found.get(item));
}

import type { OptionRules } from '@eaas/protocol/internal-options';
import type { EnvelopeClient } from '../client/envelope-client.ts';
import type { EncryptOptions } from '../client/encrypt.ts';
import type { UnwrapOptions } from '../transport/data-key-calls.ts';
import { somebody } from '../client/caller.ts';
import type { Fingerprints } from './fingerprints.ts';
import type { Plans } from './plan.ts';
import type { RecordId } from './row-types.ts';

/** The methods of an `EaasClient` that encrypted fields call. */
export type FieldsClient = Pick<
  EnvelopeClient,
  'as' | 'needsUser' | 'encryptMany' | 'decryptMany' | 'hash' | 'unwrap'
> &
  Partial<Pick<EnvelopeClient, 'halves' | 'keyId'>>;

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

export async function callByGroup<Item, Key, Result>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
  call: (group: readonly Item[], key: Key) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  const keys = items.map(keyOf);
  const groups = Array.from(new Set(keys), async (key) => {
    const places = keys.flatMap((own, at) => (own === key ? [at] : []));
    const found = await call(
      places.map((at) => items[at] as Item),
      key,
    );
    for (const [index, at] of places.entries()) results[at] = found[index] as Result;
  });
  await Promise.all(groups);
  return results;
}

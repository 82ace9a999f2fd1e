// What several operations read: the key that a call names, and lists of rows.
// The operations of the core use it, and those of plugins.
import { parseUuid } from '@eaas/protocol';
import { type Input, limits } from '@eaas/protocol/wire';
import type { View } from '../ledger/decision.ts';
import { allOf, type Need, type Query, refTo, type Table, type Where } from '../ledger/table.ts';
import { type KeyRow, keys } from '../ledger/tables.ts';
import type { Part } from '../operation.ts';
import { type Holder, requireKeyId } from '../rules/authorize.ts';
import { keyNotFound } from '../rules/refusal.ts';

/** The row of the key that a call names, if the text can be an id. */
export function keyNeeds(text: string): Need[] {
  const keyId = parseUuid(text);
  return keyId === undefined ? [] : [refTo(keys, keyId)];
}

/** Returns the key that a call names. Throws Refusal for a key that is unknown, or that the caller does not reach. */
export function requireKey(view: Pick<View, 'find'>, holder: Holder | null, text: string): KeyRow {
  const key = view.find(keys, requireKeyId(holder, text));
  if (!key) throw keyNotFound();
  return key;
}

/** What a list says beside its rows. */
type Page = Readonly<Record<'count' | 'total' | 'limit' | 'offset', number>>;

/** Lists the rows that fulfil the conditions. `show` makes the answer of a page. */
export function listing<Row extends { readonly created_id: number }, Answer>(
  table: Table<Row>,
  whereFor: (holder: Holder | null) => readonly Where[],
  { limit = limits.pageDefault, offset = 0 }: Input<'GET /v1/api-keys'>,
  show: (rows: readonly Row[], page: Page, view: View) => Answer,
): Part<Answer> {
  const page = { by: 'created_id', descending: true, limit, offset, counts: true } as const;
  const queryFor = (holder: Holder | null): Query<Row> => ({ table, where: whereFor(holder), ...page });
  return {
    by: 'snapshot',
    needs: (_, holder) => [allOf(queryFor(holder))],
    judge(view, holder) {
      const { rows, total } = view.all(queryFor(holder));
      return { entries: [], answer: show(rows, { count: rows.length, total, limit, offset }, view) };
    },
  };
}

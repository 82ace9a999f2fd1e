// Calls that show and change rows by their ids: those of API keys, and of issuers, which are like them.
import { parseUuid } from '@eaas/protocol';
import type { View } from '../ledger/decision.ts';
import { type Need, put, refTo, type Table } from '../ledger/table.ts';
import { keys } from '../ledger/tables.ts';
import type { Part } from '../operation.ts';
import type { Holder } from '../rules/authorize.ts';
import type { Changed } from '../rules/draft.ts';
import type { Refusal } from '../rules/refusal.ts';

type Rule<Row> = (before: Row, view: View, giver: Holder | null) => Changed<Row>;

/** What an input restricts rights to. */
interface Restricting {
  readonly key_ids?: readonly string[] | null | undefined;
}

/** The rows of the keys that an input restricts rights to. */
export const keyNeedsOf = ({ key_ids }: Restricting): Need[] =>
  (key_ids ?? []).flatMap((text) => {
    const id = parseUuid(text);
    return id === undefined ? [] : [refTo(keys, id)];
  });

/** Makes the calls about the rows of a table. `beside` has rows by the same ids, which are shown too. */
export function recordsOf<Row extends object, Answer>(
  table: Table<Row>,
  notFound: () => Refusal,
  show: (row: Row, view: View) => Answer,
  beside: readonly Table<never>[] = [],
) {
  const about =
    (by: Part<Answer>['by']) =>
    (text: string, rule: Rule<Row>, input: Restricting = {}): Part<Answer> => {
      const id = parseUuid(text);
      const refs = id === undefined ? [] : [table, ...beside].map((one) => refTo(one, id));
      return {
        by,
        needs: () => [...refs, ...keyNeedsOf(input)],
        judge(view, giver) {
          const before = id === undefined ? null : view.find(table, id);
          if (!before) throw notFound();
          const { row, draft } = rule(before, view, giver);
          return { entries: draft ? [draft] : [], writes: [put(table, row)], answer: show(row, view) };
        },
      };
    };
  return {
    show: (text: string) => about('snapshot')(text, (row) => ({ row, draft: null })),
    change: about('append'),
  };
}

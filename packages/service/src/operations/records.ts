// Calls that list, show and change rows by their ids: those of API keys, and of issuers, which are like them. And the key that a
// call names. The operations of the core use it, and those of plugins.
import { parseUuid } from '@eaas/protocol';
import { type Input, limits, type Output } from '@eaas/protocol/wire';
import type { View } from '../ledger/decision.ts';
import { allOf, type Need, put, type Query, refTo, type Table, type Where } from '../ledger/table.ts';
import { type ApiKeyRow, apiKeys, type KeyRow, keys } from '../ledger/tables.ts';
import type { Part } from '../operation.ts';
import { type Holder, requireKeyId } from '../rules/authorize.ts';
import { auditValue, type Change, tenantDraft, timeOrNull } from '../rules/draft.ts';
import { type Field, valueIn } from '../plugin.ts';
import { keyNotFound, Refusal } from '../rules/refusal.ts';

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
    needs: (_, holder) => [allOf(queryFor(holder))],
    judge(view, holder) {
      const { rows, total } = view.all(queryFor(holder));
      return { entries: [], answer: show(rows, { count: rows.length, total, limit, offset }, view) };
    },
  };
}

/** Decides about a change: what the entry is called, the columns that are set, and what it says. Nothing: there is no change. */
type Rule<Row> = (before: Row, view: View, giver: Holder | null) => Change<Row> | undefined;

/** What an input restricts rights to. */
type Restricting = Pick<Input<'PATCH /v1/api-keys/:api_key_id'>, 'key_ids'>;

/** The rows of the keys that an input restricts rights to. */
export const keyNeedsOf = ({ key_ids }: Restricting): Need[] => (key_ids ?? []).flatMap(keyNeeds);

/** Makes the calls about the rows of a table. `beside` has rows by the same ids, which are shown too. */
export function recordsOf<Row extends { readonly rev: number }, Answer>(
  table: Table<Row>,
  notFound: string,
  show: (row: Row, view: View) => Answer,
  beside: readonly Table<never>[] = [],
) {
  const [idColumn] = table.id;

  const needsOf = (text: string): Need[] => {
    const id = parseUuid(text);
    return id === undefined ? [] : [table, ...beside].map((each) => refTo(each, id));
  };

  const requireRow = (view: View, text: string): Row => {
    const id = parseUuid(text);
    const row = id === undefined ? null : view.find(table, id);
    if (!row) throw new Refusal('not_found', notFound);
    return row;
  };

  return {
    /** Shows a row. */
    show: (text: string): Part<Answer> => ({
      needs: () => needsOf(text),
      judge: (view) => ({ entries: [], answer: show(requireRow(view, text), view) }),
    }),

    /** Changes a row as the rule decides, and shows it. */
    change: (text: string, rule: Rule<Row>, input: Restricting = {}): Part<Answer> => ({
      changes: true,
      needs: () => [...needsOf(text), ...keyNeedsOf(input)],
      judge(view, giver) {
        const before = requireRow(view, text);
        const change = rule(before, view, giver);
        if (!change) return { entries: [], answer: show(before, view) };

        const [action, set, told] = change;
        const row = { ...before, ...set, rev: view.entryId };
        const named = { [String(idColumn)]: parseUuid(text) };
        const draft = tenantDraft(action, { ...named, ...told, previous_change: before.rev });
        return { entries: [draft], writes: [put(table, row)], answer: show(row, view) };
      },
    }),
  };
}

const hidden: ReadonlySet<string> = new Set(['tenant_id', 'created_id', 'rev']);

/** A row as the API shows it: times are text, and bytes are never shown. */
export function shownRow<Row>({ columns, types }: Table<Row>, row: Row) {
  const shown = columns.filter((name) => !hidden.has(name) && !types?.[name]?.startsWith('bytes'));
  return Object.fromEntries(shown.map((name) => [name, auditValue(name, row[name])]));
}

/** Returns a key as the API shows it, with those columns of plugins that it shows. */
export function keyRecord(key: KeyRow, fields: readonly Field[]): Output<'POST /v1/keys'> {
  const ofPlugins = fields.filter(({ isShown }) => isShown);
  const columns = ofPlugins.map((field) => [field.column, valueIn(key, field)]);
  const { interval_days, ...record } = shownRow(keys, key);
  const rotation_policy = interval_days === null ? null : { interval_days };
  return { ...record, rotation_policy, ...Object.fromEntries(columns) } as Output<'POST /v1/keys'>;
}

/** Returns an API key as the API shows it. */
export const apiKeyRecord = (row: ApiKeyRow, lastUsedAt: number | null) =>
  ({ ...shownRow(apiKeys, row), last_used_at: timeOrNull(lastUsedAt) }) as ApiKeyRecord;

type ApiKeyRecord = Output<'GET /v1/api-keys/:api_key_id'>;

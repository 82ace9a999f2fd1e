// What the rows of today say about the entries of a walk: who had been revoked, erased or destroyed before. A row tells of every
// entry after its `rev`, which changed it last, however many lie between.
import type { LogHistory } from '@eaas/protocol/internal-log';
import type { TenantSecrets } from '../crypto/tenant-secrets.ts';
import { checkRow } from '../ledger/row-macs.ts';
import type { Stored } from '../ledger/store.ts';
import { nameOf, type Query, type Ref, refOf, type Table, type Where } from '../ledger/table.ts';
import { type ApiKeyRow, type EntryRow, type KeyRow, keys } from '../ledger/tables.ts';
import { attempt } from '../rules/refusal.ts';
import type { Service } from '../service.ts';

/** What is read of a row, whatever it is of. */
type Row = Partial<ApiKeyRow & KeyRow & { readonly erased_id: number | null }>;

export type Today = ReturnType<typeof rowsOfToday>;

export function rowsOfToday({ store, tables }: Service, tenantId: string, secrets: TenantSecrets) {
  const having = (column: string): Table<never>[] =>
    [...tables.values()].filter(({ types = {} }) => column in types);
  const [actors, people] = [having('revoked_at'), having('erased_id')];

  /** Tells a history what a row says, if no entry from `first` on has changed it. */
  function tell(history: LogHistory, table: Table<never>, stored: Stored, first: number): void {
    const row = attempt(() => checkRow(secrets, table as Table<Row>, stored));
    const { rev = row?.erased_id ?? first, status, min_version, revoked_at, erased_id } = row ?? {};
    if (!row || rev >= first) return;
    const [, id = ''] = refOf(table, row as never).split(' ');
    if (status) history.learn(`key ${id}`, status, rev);
    if (min_version) history.learn(`min_version of ${id}`, min_version, rev);
    if (revoked_at) history.learn(`actor ${id}`, 'revoked', rev);
    if (erased_id) history.learn(`subject ${id.slice(0, 32)}`, 'erased', rev);
  }

  return {
    /** Reads the rows that a page of entries names, and tells the history what had ended before the page. */
    async look(page: readonly EntryRow[], history: LogHistory): Promise<void> {
      const first = Number(page[0]?.id);
      const named = (column: 'actor' | 'key_id', { name }: { readonly name: string }): Ref[] =>
        Array.from(new Set(page.map((entry) => entry[column])), (id): Ref => `${name} ${id}`);
      const refs = [...actors.flatMap((table) => named('actor', table)), ...named('key_id', keys)];
      // A context can say the same of nobody. The entry of an erasure has the whole id.
      const said = page
        .map(({ metadata }) => metadata)
        .join()
        .matchAll(/"subject":"([\da-f]{32})"/g);
      const halves = [...new Set(Array.from(said, ([, half = '']) => half))];
      const queries = halves.length === 0 ? [] : people.map((table) => erasedOf(table, halves));
      const { rows, found } = await store.read(tenantId, [...refs, ...queries]);
      for (const [ref, one] of rows) {
        const table = tables.get(ref.slice(0, ref.indexOf(' ')));
        if (one && table) tell(history, table, one, first);
      }
      for (const query of queries)
        for (const one of found.get(nameOf(query))?.rows ?? []) tell(history, query.table, one, first);
    },
  };
}

/** Finds erased people by the first halves of their ids, which is what entries name. */
const erasedOf = (table: Table<never>, halves: readonly string[]): Query<never> => {
  const ofThese: Where = [String(table.id[0]), 'begins', halves];
  return { table, where: [['erased_id', '>=', 1], ofThese] };
};

// What the log of a tenant said before the entries that a call verifies: the entries of rare actions tell, and after a purge
// the rows. What neither tells accuses nobody.
import { factActions, LogHistory } from '@eaas/protocol/internal-log';
import type { TenantSecrets } from '../crypto/tenant-secrets.ts';
import { checkRow } from '../ledger/row-macs.ts';
import { allOf, between, idText, nameOf, type Query, type Table, type Where } from '../ledger/table.ts';
import { entries, type EntryRow } from '../ledger/tables.ts';
import { attempt } from '../rules/refusal.ts';
import type { Service } from '../service.ts';

/** About what a row says something by which column, and what: absent, the value of the column. */
const told = [
  { kind: 'actor', where: ['revoked_at', '>=', 0], is: 'revoked' },
  { kind: 'subject', where: ['erased_id', '>=', 1], is: 'erased' },
  { kind: 'key', where: ['status', '<>', 'active'], is: undefined },
  { kind: 'min_version of', where: ['min_version', '>=', 2], is: undefined },
] as const;

/**
 * What is known before the entry `first`. All entries up to `purged` are gone. `limit`: how many entries of an action are read,
 * and how many rows of a kind.
 */
export async function historyBefore(
  { store, tables }: Service,
  tenantId: string,
  secrets: TenantSecrets,
  { purged, first }: { readonly purged: number; readonly first: number },
  limit = 1_000,
): Promise<LogHistory> {
  const history = new LogHistory({ since: purged + 1 });
  if (first === 1) return history;
  const ofEntries = factActions().map((action): Query<never> => {
    const where: Where[] = [['action', '=', action], ...between('id', purged + 1, first - 1)];
    return allOf<EntryRow>({ table: entries, where, by: 'id', descending: true, limit });
  });
  const ofRows = purged === 0 ? [] : [...tables.values()].flatMap((table) => rowsOf(table, purged, limit));
  const queries = [...ofEntries, ...ofRows.map(({ query }) => query)];
  const known = await store.snapshot(tenantId, queries, async ({ known }) => known.found);
  const found = (query: Query<never>) => known.get(nameOf(query))?.rows ?? [];
  for (const { query, kind, column, rev, is } of ofRows)
    for (const stored of found(query)) {
      const row = attempt(() => checkRow(secrets, query.table as Table<Values>, stored));
      const id = row && idText(row[query.table.id[0] ?? '']).slice(0, kind === 'subject' ? 32 : 36);
      if (row) history.learn(`${kind} ${id}`, is ?? row[column], Number(row[rev]));
    }
  const pages = ofEntries.map((query) => found(query).map(({ row }) => row as EntryRow));
  // Of an action that has more, an older entry could have ended what another one said.
  const oldest = Math.max(0, ...pages.map((page) => (page.length < limit ? 0 : (page.at(-1)?.id ?? 0))));
  if (oldest > 0) history.skipTo(oldest);
  const later = pages.flat().filter(({ id }) => id >= oldest);
  for (const entry of later.sort((a, b) => a.id - b.id)) attempt(() => history.step(entry));
  return history;
}

type Values = Readonly<Record<string, unknown>>;

/** Finds the rows that say something, and were last changed up to an entry. */
function rowsOf(table: Table<never>, id: number, limit: number) {
  const columns: readonly string[] = table.columns;
  return told.flatMap(({ kind, where, is }) => {
    const [column] = where;
    const rev = columns.includes('rev') ? 'rev' : column;
    const query: Query<never> = { table, where: [where, [rev, '<=', id]], limit };
    return columns.includes(column) ? [{ query, kind, column, rev, is }] : [];
  });
}

// What the log of a tenant said before the entries that a call verifies: the entries of rare actions tell. What they do not tell
// accuses nobody; what is final, the rows tell too (today.ts).
import { factActions, LogHistory } from '@eaas/protocol/internal-log';
import { allOf, between, nameOf, type Where } from '../ledger/table.ts';
import { entries, type EntryRow } from '../ledger/tables.ts';
import { attempt } from '../rules/refusal.ts';
import type { Service } from '../service.ts';

/** What entries from `from` to `to` said. `limit`: how many entries of an action are read. */
export async function historyOf(
  { store }: Service,
  tenantId: string,
  { from, to }: { readonly from: number; readonly to: number },
  limit = 1_000,
): Promise<LogHistory> {
  const history = new LogHistory({ since: from });
  if (to < from) return history;
  const queries = factActions().map((action) => {
    const where: Where[] = [['action', '=', action], ...between('id', from, to)];
    return allOf<EntryRow>({ table: entries, where, by: 'id', descending: true, limit });
  });
  const known = await store.snapshot(tenantId, queries, async ({ known }) => known.found);
  const pages = queries.map(
    (query) => known.get(nameOf(query))?.rows.map(({ row }) => row as EntryRow) ?? [],
  );
  // Of an action that has more, an older entry could have ended what another one said.
  const oldest = Math.max(0, ...pages.map((page) => (page.length < limit ? 0 : (page.at(-1)?.id ?? 0))));
  if (oldest > 0) history.skipTo(oldest);
  const later = pages.flat().filter(({ id }) => id >= oldest);
  for (const entry of later.sort((a, b) => a.id - b.id)) attempt(() => history.step(entry));
  return history;
}

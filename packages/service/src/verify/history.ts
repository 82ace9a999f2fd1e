// What the log of a tenant said before the entries that a call verifies: the entries of rare actions tell. What they do not tell
// accuses nobody; what is final, the rows tell too (today.ts).
import { factActions, LogHistory } from '@eaas/protocol/internal-log';
import { allOf, between, nameOf, type Query, type Where } from '../ledger/table.ts';
import { entries, type EntryRow } from '../ledger/tables.ts';
import { attempt } from '../rules/refusal.ts';
import type { Service } from '../service.ts';

/** Of so many facts a verification knows at once. More would fill the memory of a server. */
const mostFacts = 200_000;
/** How many entries of an action are read at once. */
const pageLength = 1_000;

type Range = { readonly from: number; readonly to: number };

/** What entries from `from` to `to` said: the newest of it, which is quickly read. `limit`: how many entries of an action are read. */
export async function newestHistory(
  service: Service,
  tenantId: string,
  range: Range,
  limit = pageLength,
): Promise<LogHistory> {
  const history = new LogHistory({ since: range.from });
  if (range.to < range.from) return history;
  const pages = await readFacts(service, tenantId, range, { limit, descending: true });
  // Of an action that has more, an older entry could have ended what another one said.
  const oldest = Math.max(0, ...pages.map((page) => (page.length < limit ? 0 : (page.at(-1)?.id ?? 0))));
  if (oldest > 0) {
    history.skipTo(oldest);
    history.hasForgotten = true;
  }
  learnInOrder(
    history,
    pages.flat().filter(({ id }) => id >= oldest),
  );
  return history;
}

/** What entries from `from` to `to` said, all of it. It takes as long as there are such entries, and lets others go first. */
export async function wholeHistory(
  service: Service,
  tenantId: string,
  { from, to }: Range,
): Promise<LogHistory> {
  const history = new LogHistory({ since: from }, mostFacts);
  let next = from;
  while (next <= to) {
    const pages = await readFacts(service, tenantId, { from: next, to }, { limit: pageLength });
    // Of an action with a full page, later entries are not read yet.
    const ends = pages.map((page) => (page.length < pageLength ? to : (page.at(-1)?.id ?? to)));
    const last = Math.min(to, ...ends);
    learnInOrder(
      history,
      pages.flat().filter(({ id }) => id <= last),
    );
    next = last + 1;
    if (service.fair.isOver()) await service.fair.pause(tenantId);
  }
  return history;
}

/** Reads a page of entries of each action that says something, in one snapshot. */
async function readFacts(
  { store }: Service,
  tenantId: string,
  { from, to }: Range,
  page: Pick<Query<EntryRow>, 'limit' | 'descending'>,
): Promise<EntryRow[][]> {
  const queries = factActions().map((action) => {
    const where: Where[] = [['action', '=', action], ...between('id', from, to)];
    return allOf<EntryRow>({ table: entries, where, by: 'id', ...page });
  });
  const known = await store.snapshot(tenantId, queries, async ({ known }) => known.found);
  return queries.map((query) => known.get(nameOf(query))?.rows.map(({ row }) => row as EntryRow) ?? []);
}

function learnInOrder(history: LogHistory, said: readonly EntryRow[]): void {
  for (const entry of said.toSorted((a, b) => a.id - b.id)) attempt(() => history.step(entry));
}

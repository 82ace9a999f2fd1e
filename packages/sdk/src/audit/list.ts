// Lists the log entry by entry, for `audit.list` and the reports, while others append and purge.
import { createPageReader } from '../client/listing.ts';
import { loadSignIn } from '../sign-in/options.ts';
import type { Call } from '../transport/transport.ts';
import { type AuditEntry, type AuditFilter, type AuditPage, type ListOptions, queryOf } from './query.ts';

/** Yields, exactly once, each matching entry that is in the log when the listing starts. */
export async function* listAudit(
  call: Call,
  filter: AuditFilter,
  options: ListOptions,
): AsyncGenerator<AuditEntry, void, undefined> {
  const { pageSize = 100, from, order = from ? 'oldest' : 'newest', signal } = options;
  if (filter.subject_id === 'me') {
    yield* (await loadSignIn()).listOwnEntries(call, filter, options);
    return;
  }
  const query = { ...queryOf(filter), limit: Math.max(2, pageSize) };
  const pages = createPageReader(
    (offset) => call('GET /v1/audit', { ...query, offset }, { signal }),
    ({ logs }) => logs,
  );
  let first = await pages.read(0);
  while (first.count === 0 && first.total !== 0) first = await pages.read(0);
  const [newest] = first.logs;
  if (!newest) return;
  // Excludes entries that are added after the first request, because they would shift the offsets of all pages.
  query.date_to = newest.created_at;
  yield* order === 'oldest' ? oldestFirst(first, newest.id, from, pages) : newestFirst(first, from, pages);
}

type Pages = ReturnType<typeof createPageReader<AuditPage>>;

async function* newestFirst(
  first: AuditPage,
  from = 1,
  pages: Pages,
): AsyncGenerator<AuditEntry, void, undefined> {
  let last = Infinity;
  for (let page = first; ;) {
    for (const entry of page.logs) {
      if (entry.id >= last) continue;
      if (entry.id < from) return;
      last = entry.id;
      pages.progress();
      yield entry;
    }
    const next = page.offset + page.count;
    if (page.total === null ? page.count === 0 : next >= page.total) return;
    page = await pages.read(next);
  }
}

/**
 * Yields the entries from one on, oldest first. An offset counts from the newest entry, so each new entry increases the offset of
 * all older entries. Each page repeats the last entry of the previous page. If the repeated entry is not in the page,
 * entries might be missing, so the function requests a page at a larger offset. Without a total, a page that is not full is
 * the last one.
 */
async function* oldestFirst(
  first: AuditPage,
  newest: number,
  from = 1,
  pages: Pages,
): AsyncGenerator<AuditEntry, void, undefined> {
  let last = from - 1;
  if (last >= newest) return;
  for (let page = first.total === null ? await lastPage(first, pages) : first; ;) {
    const { logs, count, total, limit, offset } = page;
    const lowest = logs.at(-1);
    const hasOlder = total === null ? count === limit : offset + count < total;
    let newerCount = offset;
    if (!lowest) newerCount = total ?? offset;
    else if (lowest.id > last && hasOlder) {
      const isGuess = page === first && total !== null;
      newerCount = isGuess ? Math.min(total, newest - last + 1) : offset + count + limit - 2;
    } else {
      for (const entry of logs.toReversed()) {
        if (entry.id > newest) return;
        if (entry.id <= last) continue;
        last = entry.id;
        pages.progress();
        yield entry;
      }
    }
    if (newerCount === 0 || last === newest) return;
    page = await pages.read(Math.max(0, newerCount - limit + 1));
  }
}

/** Finds the last page of entries that the service does not count: those of a person with very many. */
async function lastPage(first: AuditPage, pages: Pages): Promise<AuditPage> {
  let [found, beyond] = [first, Infinity];
  for (;;) {
    const end = found.offset + found.count;
    if (found.count < found.limit || end >= beyond) break;
    const next = await pages.read(beyond === Infinity ? 2 * end : Math.floor((end + beyond) / 2));
    if (next.count === 0) beyond = next.offset;
    else {
      found = next;
      pages.progress();
    }
  }
  return found;
}

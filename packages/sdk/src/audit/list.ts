import type { Output } from '@eaas/protocol/wire';
import type { ServiceError } from '../errors.ts';
import { createPageReader } from '../client/list-records.ts';
import type { Call, CallOptions } from '../transport/transport.ts';
import type { AuditFilter } from './filter.ts';

/** A page of the audit log. */
export type AuditPage = Output<'GET /v1/audit'>;
/** An entry of the audit log. */
export type AuditEntry = AuditPage['logs'][number];

/** Options of `audit.list`. */
export interface ListOptions extends CallOptions {
  /** Whether the newest or the oldest entry comes first. Defaults to `newest`. */
  readonly order?: 'newest' | 'oldest' | undefined;
  /** The number of entries per request. Defaults to 100, which is also the maximum. */
  readonly pageSize?: number | undefined;
}

/** A filter for audit entries, with the size and the offset of the page. */
export interface AuditPageQuery extends AuditFilter {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

interface WireQuery extends Omit<AuditPageQuery, 'date_from' | 'date_to'> {
  date_from?: string;
  date_to?: string;
}

export function queryOf(query: AuditPageQuery): WireQuery {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [name, typeof value === 'object' ? value.toISOString() : value]),
  );
}

// The client loads this module on demand, and passes the function `unreadable` to it. If this module imported
// `unreadable`, a web page would have to load an additional file at its start.
export async function* listAudit(
  call: Call,
  filter: AuditFilter,
  options: ListOptions,
  unreadable: () => ServiceError,
): AsyncGenerator<AuditEntry, void, undefined> {
  const { order, pageSize = 100, signal } = options;
  const query = { ...queryOf(filter), limit: Math.max(2, pageSize) };
  const pages = createPageReader(
    (offset) => call('GET /v1/audit', { ...query, offset }, { signal }),
    ({ logs }) => logs,
    unreadable,
  );
  let first = await pages.read(0);
  while (first.count === 0 && first.total !== 0) first = await pages.read(0);
  const [newest] = first.logs;
  if (!newest) return;
  // Excludes entries that are added after the first request, because they would shift the offsets of all pages.
  query.date_to = newest.created_at;
  yield* order === 'oldest' ? oldestFirst(first, newest.id, pages) : newestFirst(first, pages);
}

type Pages = ReturnType<typeof createPageReader<AuditPage>>;

async function* newestFirst(first: AuditPage, pages: Pages): AsyncGenerator<AuditEntry, void, undefined> {
  let last = Infinity;
  for (let page = first; ;) {
    for (const entry of page.logs) {
      if (entry.id >= last) continue;
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
 * Yields the entries, oldest first. An offset counts from the newest entry, so each new entry increases the offset of
 * all older entries. Each page repeats the last entry of the previous page. If the repeated entry is not in the page,
 * entries might be missing, so the function requests a page at a larger offset. Without a total, a page that is not full is
 * the last one.
 */
async function* oldestFirst(
  first: AuditPage,
  newest: number,
  pages: Pages,
): AsyncGenerator<AuditEntry, void, undefined> {
  let last = 0;
  for (let page = first.total === null ? await lastPage(first, pages) : first; ;) {
    const { logs, count, total, limit, offset } = page;
    const lowest = logs.at(-1);
    const hasOlder = total === null ? count === limit : offset + count < total;
    let newerCount = offset;
    if (!lowest) newerCount = total ?? offset;
    else if (lowest.id > last && hasOlder)
      newerCount = last || total === null ? offset + count + limit - 2 : total;
    else {
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

import { InputError } from '@eaas/protocol/internal-core';
import { type OptionRules, positiveInteger, requireOptions, signal } from '@eaas/protocol/internal-options';
import type { Input, Output } from '@eaas/protocol/wire';
import type { ServiceError } from '../errors.ts';
import { createPageReader } from '../client/page-reader.ts';
import type { Call, CallOptions } from '../transport/transport.ts';
import type { AuditFilter } from './filter.ts';
import { listOwnEntries } from './own-entries.ts';
import { type ReportRow, reportRow } from './report-rows.ts';

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

/** The audit log as a signed-in user may read it. The issuer needs the permission `audit.own`. */
export interface OwnLog {
  /**
   * Yields what happened with the data of the signed-in user, newest first: the time, the action, the id of the user who
   * acted and the outcome. Throws InputError for a client without `issuer` and `token`.
   */
  report(options?: ListOptions): AsyncGenerator<ReportRow, void, undefined>;
}

/** A filter for audit entries, with the size and the offset of the page. */
export interface AuditPageQuery extends AuditFilter {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

export interface WireQuery extends Omit<AuditPageQuery, 'date_from' | 'date_to'> {
  date_from?: string;
  date_to?: string;
}

export function queryOf(query: AuditPageQuery): WireQuery {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [name, typeof value === 'object' ? value.toISOString() : value]),
  );
}

const listOptions: OptionRules<ListOptions> = {
  order: (value) => value === 'newest' || value === 'oldest' || "'newest' or 'oldest'",
  pageSize: positiveInteger,
  signal,
};

export async function* listAudit(
  call: Call,
  filter: AuditFilter,
  options: ListOptions,
): AsyncGenerator<AuditEntry, void, undefined> {
  requireOptions(listOptions, options, 'audit.list');
  const { order, pageSize = 100, signal } = options;
  const query = { ...queryOf(filter), limit: Math.max(2, pageSize) };
  if (filter.subject_id === 'me') {
    const entries = listOwnEntries(call, query, { signal });
    yield* order === 'oldest' ? await reversed(entries) : entries;
    return;
  }
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
  yield* order === 'oldest' ? oldestFirst(first, newest.id, pages) : newestFirst(first, pages);
}

async function reversed<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all.toReversed();
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

/** A subject that was never used has an empty report, and a service without an audit log still says so. */
const nobody = { subject_id: '0'.repeat(64) };

/** Yields the report on the subject with this name, or without a name on the signed-in user. */
export async function* report(
  call: Call,
  signsIn: boolean,
  options: ListOptions = {},
  name?: Input<'POST /v1/subjects/show'>,
): AsyncGenerator<ReportRow, void, undefined> {
  requireOptions(listOptions, options, 'audit.report');
  if (!name && !signsIn)
    throw new InputError(
      '`audit.report` needs a `subject` or `subjectId`: only the report of a client with `issuer` and `token` is about its user',
    );
  const { signal } = options;
  const { subject_id } = name
    ? await call('POST /v1/subjects/show', name, { signal }).catch((error: ServiceError) => {
        if (error.code !== 'not_found') throw error;
        return nobody;
      })
    : { subject_id: 'me' };
  for await (const entry of listAudit(call, { subject_id }, options)) yield reportRow(entry);
}

// The log of a signed-in user about the own data. Its entries have no id, so two of them can look the same, and pages are
// found by the times of entries: these never decrease, so only entries of the newest time can still become more.
import { InputError } from '@eaas/protocol/internal-core';
import { requireOptions } from '@eaas/protocol/internal-options';
import { unreadable } from '../errors.ts';
import { createPageReader } from '../client/listing.ts';
import type { Call, CallOptions } from '../transport/transport.ts';
import {
  type AuditEntry,
  type AuditFilter,
  type AuditPage,
  type ListOptions,
  queryOf,
  type WireQuery,
} from './query.ts';
import { type ReportOptions, type ReportRow, reportRules, rowsOf } from './report.ts';

/** Yields the report on the signed-in user. */
export async function* reportOnUser(
  call: Call,
  signsIn: boolean,
  options: ReportOptions = {},
): AsyncGenerator<ReportRow, void, undefined> {
  requireOptions(reportRules, options, 'audit.report');
  if (!signsIn)
    throw new InputError(
      '`audit.report` needs a `subject` or `subjectId`: only the report of a client with `issuer` and `token` is about its user',
    );
  yield* rowsOf(listOwnEntries(call, { subject_id: 'me' }, options));
}

/** Yields each entry once that is in the log when the listing starts. */
export async function* listOwnEntries(
  call: Call,
  filter: AuditFilter,
  { order, pageSize = 100, signal }: ListOptions,
): AsyncGenerator<AuditEntry, void, undefined> {
  const query = { ...queryOf(filter), limit: Math.max(2, pageSize) };
  const entries = newestFirst(call, query, { signal });
  const all: AuditEntry[] = [];
  for await (const entry of entries)
    if (order === 'oldest') all.push(entry);
    else yield entry;
  yield* all.toReversed();
}

async function* newestFirst(
  call: Call,
  given: WireQuery,
  options: CallOptions,
): AsyncGenerator<AuditEntry, void, undefined> {
  // All pages share one input, so that the sign-in refuses to continue for another user.
  const query = { ...given };
  const pages = createPageReader<AuditPage>(
    (offset) => call('GET /v1/audit', Object.assign(query, { offset }), options),
    ({ logs }) => logs,
  );
  let page = await pages.read(0);
  const newest = page.logs[0]?.created_at;
  if (newest === undefined) return;
  if (page.count === page.limit && page.logs.at(-1)?.created_at === newest) {
    yield* listMillisecond(newest);
    const before = new Date(newest).getTime() - 1;
    if (Number.isNaN(before)) throw unreadable();
    delete query.date_from;
    Object.assign(query, given, { date_to: new Date(before).toISOString() });
    page = await pages.read(0);
  }
  // From here on, nothing is added to what the pages show: they begin after the known entries of the last known time.
  for (let known = 0; ; page = await pages.read(known)) {
    for (const entry of page.logs) {
      if (entry.created_at !== query.date_to) known = 0;
      query.date_to = entry.created_at;
      known++;
      pages.progress();
      yield entry;
    }
    if (page.count < page.limit) return;
  }

  /**
   * Yields the entries of one time, to which more can be added while they are read: a failover to a slow clock can stop the
   * time of entries for seconds. An entry's place among them, counted from the oldest, stays the same. Of more entries
   * than the service counts, one could be repeated.
   */
  async function* listMillisecond(time: string): AsyncGenerator<AuditEntry, void, undefined> {
    Object.assign(query, { date_from: time, date_to: time });
    let last = Infinity;
    for (let offset = 0; ;) {
      const { logs, total, count, limit } = await pages.read(offset);
      for (const [nth, entry] of logs.entries()) {
        const place = (total ?? 0) - offset - nth;
        if (place >= last) continue;
        last = place;
        pages.progress();
        yield entry;
      }
      if (count < limit) return;
      offset = (total ?? 0) - last + 1;
    }
  }
}

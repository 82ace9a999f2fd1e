// What lists records, loaded on demand. Lists the log entry by entry, and reports on a person, while others append and purge. The times of
// entries never decrease, so entries are added to the newest time alone: the pages of all others do not move.
import { InputError, type OptionRules, requireOptions } from '@eaas/protocol/internal';
import { somebody } from '../caller.ts';
import { createPageReader } from '../http/listing.ts';
import { type ServiceError, unreadable } from '../errors.ts';
import type { Call } from '../http/transport.ts';
import {
  type AuditEntry,
  type AuditFilter,
  type AuditListOptions,
  type AuditPage,
  filterRules,
  queryOf,
} from './query.ts';
import { type PersonReportOptions, type ReportRow, reportRow, reportRules } from './report.ts';

export { listPages } from '../http/listing.ts';
export { wholeExport } from '../http/whole-export.ts';

const listRules: OptionRules<AuditListOptions> = { ...reportRules, from: 'positiveInteger' };

/** Yields, exactly once, each matching entry that is in the log when the listing starts. */
export async function* listAudit(call: Call, filter: AuditFilter, options: AuditListOptions): Entries {
  requireOptions(filterRules, filter, 'audit.list');
  requireOptions(listRules, options, 'audit.list');
  const { pageSize = 100, from = 1, order = options.from ? 'oldest' : 'newest', signal } = options;
  const { date_from, ...given } = queryOf(filter);
  // All pages share one input, so that the sign-in refuses to continue for another user.
  const query = { ...given, date_from, limit: pageSize };
  const pages = createPageReader<AuditPage>(
    (offset) => call('GET /v1/audit', Object.assign(query, { offset }), { signal }),
    ({ logs }) => logs,
  );
  const first = await pages.read(0);
  const [head] = first.logs;
  if (!head && first.total !== 0) throw unreadable();
  if (!head) return;
  const { id, created_at: time } = head;
  const before = new Date(new Date(time).getTime() - 1);
  if (Number.isNaN(before.getTime())) throw unreadable();
  const date_to = before.toISOString();
  let newest = first.logs.filter(({ created_at }) => created_at === time);
  let older: Older = {
    logs: first.logs.slice(newest.length),
    total: first.total === null ? null : first.total - newest.length,
  };
  Object.assign(query, { date_to });
  if (newest.length === first.limit) {
    Object.assign(query, { date_from: time, date_to: time });
    newest = (await readMillisecond(pages)).filter((entry) => !(entry.id > id));
    Object.assign(query, { date_from, date_to });
    older = await pages.read(0);
  }

  // An entry of a signed-in user about the own data has no id.
  const isAsked = (entry: AuditEntry): boolean => !(entry.id < from);
  if (order === 'newest') {
    yield* newest.filter(isAsked);
    for await (const entry of newestFirst(older, pages)) {
      if (!isAsked(entry)) return;
      yield entry;
    }
  } else {
    const most = options.from ? id - from + 1 : Infinity;
    for await (const entry of oldestFirst(older, most, first.limit, pages)) if (isAsked(entry)) yield entry;
    yield* newest.filter(isAsked).toReversed();
  }
}

type Entries = AsyncGenerator<AuditEntry, void, undefined>;
type Pages = ReturnType<typeof createPageReader<AuditPage>>;
/** Entries to which none can be added, and how many there are. */
type Older = Pick<AuditPage, 'logs' | 'total'>;

async function* newestFirst({ logs, total }: Older, pages: Pages): Entries {
  for (let offset = 0; ;) {
    for (const entry of logs) {
      pages.progress();
      yield entry;
    }
    offset += logs.length;
    if (total === null ? logs.length === 0 : offset >= total) return;
    ({ logs, total } = await pages.read(offset));
  }
}

/** Yields the oldest of the `most` newest entries first. */
async function* oldestFirst(older: Older, most: number, limit: number, pages: Pages): Entries {
  if (older.total === null) {
    // The service does not count the entries of a person with very many.
    const all: AuditEntry[] = [];
    for await (const entry of newestFirst(older, pages)) all.push(entry);
    yield* all.toReversed();
    return;
  }
  for (let end = Math.min(older.total, most), offset = 0; end > 0; end = offset) {
    offset = Math.max(0, end - limit);
    const { logs, total } = end <= older.logs.length ? older : await pages.read(offset);
    if (logs.length < Math.min(end, total ?? end) - offset) throw unreadable();
    pages.progress();
    yield* logs.slice(0, end - offset).toReversed();
  }
}

/**
 * Reads the entries of one time, to which more can be added meanwhile: a failover to a slow clock can stop the time of
 * entries for seconds. The place of an entry without an id, counted from the oldest, stays the same. Of more entries
 * than the service counts, one without an id could be repeated.
 */
async function readMillisecond(pages: Pages): Promise<AuditEntry[]> {
  const found: AuditEntry[] = [];
  let last = Infinity;
  let lastPlace = Infinity;
  for (let offset = 0; ;) {
    const { logs, total, count, limit } = await pages.read(offset);
    for (const [nth, entry] of logs.entries()) {
      const place = (total ?? 0) - offset - nth;
      lastPlace = Math.min(lastPlace, place);
      const id = (entry as Partial<AuditEntry>).id ?? place;
      if (id >= last) continue;
      last = id;
      pages.progress();
      found.push(entry);
    }
    if (count < limit) return found;
    offset = (total ?? 0) - lastPlace + 1;
  }
}

const personRules: OptionRules<PersonReportOptions> = {
  ...reportRules,
  subject: somebody,
  subjectId: 'text',
};

/** A subject that was never used has an empty report, and a service without an audit log still says so. */
const nobody = { subject_id: '0'.repeat(64) };

/** Yields the report on a person by name, or without a name on the signed-in user. If it `isOwn`, no name is accepted. */
export async function* report(
  call: Call,
  signsIn: boolean,
  options: PersonReportOptions = {},
  isOwn = false,
): AsyncGenerator<ReportRow, void, undefined> {
  requireOptions<object>(isOwn ? reportRules : personRules, options, 'audit.report');
  const { subject, subjectId, ...listing } = options;
  let person = { subject_id: 'me' };
  if ('subject' in options || 'subjectId' in options) {
    const { signal } = listing;
    const shown = call('POST /v1/subjects/show', { subject, subject_id: subjectId }, { signal });
    person = await shown.catch((error: ServiceError) => {
      if (error.code !== 'not_found') throw error;
      return nobody;
    });
  } else if (!signsIn) {
    throw new InputError(
      '`audit.report` needs a `subject` or `subjectId`: only the report of a client with `issuer` and `token` is about its user',
    );
  }
  const { subject_id } = person;
  for await (const entry of listAudit(call, { subject_id }, listing)) yield reportRow(entry);
}

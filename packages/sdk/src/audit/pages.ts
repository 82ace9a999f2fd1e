import { ServiceError } from '../errors.ts';
import { isEntry } from './chained-entry.ts';
import type { AuditEntry } from './list.ts';
import type { AuditMethods } from './methods.ts';

/** Where a walk through the log is: what it knows about the head, and how fast the log grows. */
export interface ListPosition {
  head: number | undefined;
  until: string | undefined;
  growth: number;
  size: number;
}

const slack = 10;
const mostAttempts = 30;

/**
 * Finds the page of the audit log that contains the entry `id`. Trusts only the ids in the responses, because the
 * service might lie about order, counts and dates.
 */
export async function pageWith(
  audit: Pick<AuditMethods, 'page'>,
  place: ListPosition,
  id: number,
  signal: AbortSignal | undefined,
): Promise<readonly AuditEntry[]> {
  const from = Math.max(1, id - 1);
  let found: readonly AuditEntry[] | undefined;
  let last = mostAttempts;
  for (let attempt = 1; attempt <= last; attempt++) {
    const { head, until, size, growth } = place;
    const expected = head && head + growth + Math.min(growth, 40);
    const offset = expected === undefined ? 0 : Math.max(0, expected - from - size + 1 + slack);
    const query = { limit: size, offset, ...(until !== undefined && !found && { date_to: until }) };
    const entries = await readPage(audit, query, place, signal);
    const [oldest, newest] = [entries[0], entries.at(-1)];
    const shows = (wanted: number) => oldest && newest && oldest.id <= wanted && wanted <= newest.id;
    if (shows(from) && shows(id)) return entries;
    if (expected !== head || (oldest && place.head !== head)) continue;
    if (shows(id)) return entries;
    if (found || head === undefined) return found ?? entries;
    // The filter `date_to` can exclude the wanted entry if the date of the entry was altered. The next attempts
    // therefore omit `date_to`.
    found = entries;
    last = attempt + 3;
  }
  if (found) return found;
  throw new ServiceError('unavailable', 'the audit log grows faster than it can be read: try again later');
}

async function readPage(
  audit: Pick<AuditMethods, 'page'>,
  query: { readonly limit: number; readonly offset: number; readonly date_to?: string },
  place: ListPosition,
  signal: AbortSignal | undefined,
): Promise<AuditEntry[]> {
  const { logs, limit } = await audit.page(query, { signal });
  if (!Array.isArray(logs) || !logs.every(isEntry) || !(limit > 2 * slack)) {
    throw new ServiceError(
      'invalid_response',
      'the service must return a page of the audit log (got another response): ask its operator for the reason',
    );
  }
  const [newest] = logs;
  const head = newest && newest.id + query.offset;
  if (!newest) place.until = undefined;
  else if (place.head === undefined) place.until = newest.created_at;
  place.size = Math.min(place.size, limit);
  place.growth = Math.max(0, (head ?? 0) - (place.head ?? Infinity));
  place.head = head;
  return logs.toReversed();
}

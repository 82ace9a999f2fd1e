import { EaasError } from '../errors.ts';
import type { AuditEntry } from './list.ts';
import type { AuditMethods } from './methods.ts';

/** Where the pages of a log are: what the last one told. */
export interface Place {
  /** The newest id below `until`. Undefined before the first page. */
  head: number | undefined;
  /** What is recorded later is left out: it would shift every offset. */
  until: string | undefined;
  size: number;
}

// Entries of the same millisecond as `until` can still come; so many do no harm.
const slack = 10;
const mostAttempts = 4;

/**
 * The page that an entry is on, oldest first and with nothing left out; when the entry is not shown at all, the page
 * where it should be. Trusts no order, no count and no date.
 */
export async function pageWith(
  audit: Pick<AuditMethods, 'page'>,
  place: Place,
  id: number,
  signal: AbortSignal | undefined,
): Promise<readonly AuditEntry[]> {
  let entries: readonly AuditEntry[] = [];
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const { head } = place;
    const offset = head === undefined ? 0 : Math.max(0, head - id - place.size + 1 + slack);
    // A changed date can mislead whoever searches by it: the last attempts do without.
    const until = attempt > 2 ? undefined : place.until;
    const query = { limit: place.size, offset, ...(until !== undefined && { date_to: until }) };
    const { logs, limit } = await audit.page(query, { signal });
    if (!Array.isArray(logs) || !logs.every(isEntry) || !(limit > 2 * slack)) throw unreadable();
    place.size = Math.min(place.size, limit);
    entries = logs.toReversed();
    const [oldest, newest] = [entries[0], entries.at(-1)];
    place.head = newest && newest.id + offset;
    if (!oldest || !newest) place.until = undefined;
    else if (head === undefined) place.until = newest.created_at;
    if (oldest && newest && oldest.id <= id && id <= newest.id) break;
    if (head !== undefined && place.head === head) break;
  }
  return entries;
}

/** Whether this is an entry as the API shows them: what is hashed has one spelling only. */
function isEntry(entry: AuditEntry | null): boolean {
  if (!entry) return false;
  const { id, key_id, key_version, ip_address, metadata, created_at, hash } = entry;
  return (
    Number.isSafeInteger(id) &&
    id > 0 &&
    [entry.tenant_id, entry.action, entry.actor].every((text) => typeof text === 'string') &&
    (key_id === null || typeof key_id === 'string') &&
    (key_version === null || Number.isSafeInteger(key_version)) &&
    (ip_address === null || typeof ip_address === 'string') &&
    typeof metadata === 'object' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(created_at) &&
    /^[0-9a-f]{64}$/.test(hash)
  );
}

function unreadable(): EaasError {
  return new EaasError('invalid_response', 'the service showed what is no page of an audit log');
}

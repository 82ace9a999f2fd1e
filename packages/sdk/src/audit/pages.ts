import { EaasError } from '../errors.ts';
import type { AuditEntry } from './list.ts';
import type { AuditMethods } from './methods.ts';

/** Where the pages of a log are: what the last one told. */
export interface Place {
  /** The newest id, as far as `until`. Undefined before the first page. */
  head: number | undefined;
  /** What is recorded later is left out: it would shift every offset. Within the same millisecond it still can. */
  until: string | undefined;
  /** How many more entries there were than the time before. */
  growth: number;
  size: number;
}

export function firstPlace(): Place {
  return { head: undefined, until: undefined, growth: 0, size: 100 };
}

const slack = 10;
const mostAttempts = 30;

/**
 * The page that an entry is on, with the one before it; oldest first, and with nothing left out. When they are not
 * shown at all, the page where they should be. Trusts no order, no count and no date.
 */
export async function pageWith(
  audit: Pick<AuditMethods, 'page'>,
  place: Place,
  id: number,
  signal: AbortSignal | undefined,
): Promise<readonly AuditEntry[]> {
  const from = Math.max(1, id - 1);
  let found: readonly AuditEntry[] | undefined;
  let last = mostAttempts;
  for (let attempt = 1; attempt <= last; attempt++) {
    const { head, until, size } = place;
    const expected = head && expectedHead(place, head);
    const offset = expected === undefined ? 0 : Math.max(0, expected - from - size + 1 + slack);
    const query = { limit: size, offset, ...(until !== undefined && !found && { date_to: until }) };
    const entries = await readPage(audit, query, place, signal);
    const [oldest, newest] = [entries[0], entries.at(-1)];
    const shows = (wanted: number) => oldest && newest && oldest.id <= wanted && wanted <= newest.id;
    if (shows(from) && shows(id)) return entries;
    // It was a guess, or there is more than there was.
    if (expected !== head || (oldest && place.head !== head)) continue;
    if (shows(id)) return entries;
    if (found || head === undefined) return found ?? entries;
    // A changed date can mislead whoever searches by it: once more, without.
    found = entries;
    last = attempt + 3;
  }
  if (found) return found;
  throw new EaasError('unavailable', 'the audit log grows faster than it can be read');
}

/** More of what came the last time may come again; a page bears the difference. */
function expectedHead({ growth }: Place, head: number): number {
  return head + growth + Math.min(growth, 40);
}

async function readPage(
  audit: Pick<AuditMethods, 'page'>,
  query: { readonly limit: number; readonly offset: number; readonly date_to?: string },
  place: Place,
  signal: AbortSignal | undefined,
): Promise<AuditEntry[]> {
  const { logs, limit } = await audit.page(query, { signal });
  if (!Array.isArray(logs) || !logs.every(isEntry) || !(limit > 2 * slack))
    throw new EaasError('invalid_response', 'the service showed what is no page of an audit log');
  place.size = Math.min(place.size, limit);
  const [newest] = logs;
  const head = newest && newest.id + query.offset;
  if (!newest) place.until = undefined;
  else if (place.head === undefined) place.until = newest.created_at;
  place.growth = Math.max(0, (head ?? 0) - (place.head ?? Infinity));
  place.head = head;
  return logs.toReversed();
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

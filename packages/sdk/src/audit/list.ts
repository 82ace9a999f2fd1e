import type { AuditAction, Output } from '@eaas/protocol/wire';
import type { Call, CallOptions } from '../transport.ts';

/** A page as the service answers it. */
export type AuditPage = Output<'GET /v1/audit'>;
/** An entry as the service shows it. */
export type AuditEntry = AuditPage['logs'][number];

/** Which entries; both dates are inclusive, and text is RFC 3339 with a time. */
export interface AuditFilter {
  readonly key_id?: string | undefined;
  readonly action?: AuditAction | undefined;
  readonly date_from?: Date | string | undefined;
  readonly date_to?: Date | string | undefined;
}

/** In which order entries are listed, and how many a call. */
export interface ListOptions extends CallOptions {
  /** `newest` first where absent. */
  readonly order?: 'newest' | 'oldest' | undefined;
  /** Entries a call; 100 where absent, which is also the most that the service gives. */
  readonly pageSize?: number | undefined;
}

/**
 * The entries that there are when it begins, each once, whatever is recorded or purged meanwhile. Throws EaasError, and
 * RangeError for a Date that is none.
 */
export async function* listAudit(
  call: Call,
  filter: AuditFilter = {},
  { order, pageSize = 100, signal }: ListOptions = {},
): AsyncGenerator<AuditEntry, void, undefined> {
  const query: Record<string, unknown> = { limit: Math.max(2, pageSize) };
  for (const [name, value] of Object.entries(filter)) {
    if (value !== undefined) query[name] = value instanceof Date ? value.toISOString() : value;
  }
  const pageAt = (offset: number): Promise<AuditPage> =>
    call('GET /v1/audit', { ...query, offset }, { signal });
  const first = await pageAt(0);
  const [newest] = first.logs;
  if (!newest) return;
  // What is recorded from now on would shift every offset; little can still come within the same millisecond.
  query['date_to'] = newest.created_at;
  yield* order === 'oldest' ? oldestFirst(first, newest.id, pageAt) : newestFirst(first, pageAt);
}

type PageAt = (offset: number) => Promise<AuditPage>;

/** An offset only ever comes to name newer entries than it did: so nothing is missed, and what repeats is dropped. */
async function* newestFirst(first: AuditPage, pageAt: PageAt): AsyncGenerator<AuditEntry, void, undefined> {
  let last = Infinity;
  for (let page = first; ;) {
    for (const entry of page.logs) {
      if (entry.id >= last) continue;
      last = entry.id;
      yield entry;
    }
    const next = page.offset + page.count;
    if (page.count === 0 || next >= page.total) return;
    page = await pageAt(next);
  }
}

/** Upwards, each page with the last entry of the one before: where it is not, a page further down is asked for. */
async function* oldestFirst(
  first: AuditPage,
  newest: number,
  pageAt: PageAt,
): AsyncGenerator<AuditEntry, void, undefined> {
  let last = 0;
  for (let page = first; ;) {
    const { logs, count, total, limit, offset } = page;
    const lowest = logs.at(-1);
    // How many entries there are above the last one given.
    let above = offset;
    if (!lowest) above = total;
    else if (lowest.id > last && offset + count < total) above = last ? offset + count + limit - 2 : total;
    else {
      for (const entry of logs.toReversed()) {
        if (entry.id > newest) return;
        if (entry.id <= last) continue;
        last = entry.id;
        yield entry;
      }
    }
    if (above === 0 || last === newest) return;
    page = await pageAt(Math.max(0, above - limit + 1));
  }
}

// Reads lists page by page, for `keys.list` and its like, and for the audit log; loaded on demand.
import { requireKind, requireOptions } from '@eaas/protocol/internal';
import type { CallOptions } from './transport.ts';
import { unreadable } from '../errors.ts';

/** Options of methods that list records, such as `keys.list`. */
export interface PagesOptions extends CallOptions {
  /** The number of records per request. Defaults to 100, which is also the maximum. */
  readonly pageSize?: number | undefined;
}

interface Page {
  readonly count: number;
  readonly offset: number;
}

type RecordPage = Page & { readonly total: number } & Readonly<Record<string, unknown>>;
export type ReadPage = (query: object, options: CallOptions) => Promise<RecordPage>;

/** Yields the records of all pages once. They are the `member` of a page, and have an `id`. */
export async function* listPages(
  pageAt: ReadPage,
  filter: object = {},
  member: string,
  id: string,
  given: PagesOptions = {},
): AsyncGenerator<object, void, undefined> {
  requireOptions<PagesOptions>({ pageSize: 'positiveInteger', signal: 'signal' }, given, 'list');
  requireKind('object', filter, 'the filter of `list`');
  const { pageSize: limit = 100, ...options } = given;
  const itemsOf = (page: RecordPage) => page[member] as readonly Readonly<Record<string, unknown>>[];
  const pages = createPageReader((offset) => pageAt({ ...filter, limit, offset }, options), itemsOf);
  const seen = new Set<unknown>();
  for (let offset = 0; ;) {
    const page = await pages.read(offset);
    for (const item of itemsOf(page)) {
      if (seen.has(item[id])) continue;
      seen.add(item[id]);
      pages.progress();
      yield item;
    }
    offset += page.count;
    if (offset >= page.total) return;
  }
}

// Limits the pages in a row without a new record. Such pages can occur: each new record moves older records to later
// pages, which then repeat records of previous pages.
const maxPagesWithoutProgress = 100;

/**
 * Reads the pages of a list. Throws ServiceError if the service returns a page other than the requested page. Also
 * throws ServiceError after 100 pages in a row without a new record. Otherwise a listing could continue forever.
 */
export function createPageReader<P extends Page>(
  pageAt: (offset: number) => Promise<P>,
  itemsOf: (page: P) => readonly unknown[],
) {
  let withoutProgress = 0;
  return {
    async read(offset: number): Promise<P> {
      if (++withoutProgress > maxPagesWithoutProgress) throw unreadable();
      const page = await pageAt(offset);
      if (page.offset !== offset || page.count !== itemsOf(page).length) throw unreadable();
      return page;
    },
    /** Call this function for each new record. It resets the count of pages without a new record to zero. */
    progress(): void {
      withoutProgress = 0;
    },
  };
}

// Reads lists page by page, for `keys.list` and its like, and for the audit log; loaded on demand.
import { type OptionRules, requireKind, requireOptions } from '@eaas/protocol/internal';
import type { CallOptions } from './transport.ts';
import { unreadable } from '../errors.ts';

/** Options of methods that list records, such as `keys.list`. */
export interface PagesOptions extends CallOptions {
  /** The number of records per request. Defaults to 100, which is also the maximum. */
  readonly pageSize?: number | undefined;
}

const pagesOptions: OptionRules<PagesOptions> = { pageSize: 'positiveInteger', signal: 'signal' };

interface Page {
  readonly count: number;
  readonly offset: number;
}

export type PageOf<Member extends string, Item> = Page & {
  readonly [Name in Member]: readonly Item[];
} & { readonly total: number };

export async function* listPages<Member extends string, Id extends string, Item extends Record<Id, string>>(
  pageAt: (query: object, options: CallOptions) => Promise<PageOf<Member, Item>>,
  filter: object = {},
  member: Member,
  id: Id,
  given: PagesOptions = {},
): AsyncGenerator<Item, void, undefined> {
  requireOptions(pagesOptions, given, 'list');
  requireKind('object', filter, 'the filter of `list`');
  const { pageSize: limit = 100, ...options } = given;
  const pages = createPageReader(
    (offset) => pageAt({ ...filter, limit, offset }, options),
    (page) => page[member],
  );
  const seen = new Set<string>();
  for (let offset = 0; ;) {
    const page = await pages.read(offset);
    for (const item of page[member]) {
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

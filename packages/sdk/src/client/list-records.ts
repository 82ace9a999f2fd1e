import type { ServiceError } from '../errors.ts';
import type { PageOf } from './listing.ts';

// The client loads this module on demand, and passes its function `unreadable` as a parameter. If this module imported
// it, bundlers would move it into an additional file, which a web page loads at its start.
export async function* listRecords<Member extends string, Id extends string, Item extends Record<Id, string>>(
  pageAt: (offset: number) => Promise<PageOf<Member, Item>>,
  member: Member,
  id: Id,
  unreadable: () => ServiceError,
): AsyncGenerator<Item, void, undefined> {
  const pages = createPageReader(pageAt, (page) => page[member], unreadable);
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

interface Page {
  readonly count: number;
  readonly offset: number;
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
  unreadable: () => ServiceError,
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

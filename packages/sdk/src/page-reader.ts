import type { ServiceError } from './errors.ts';

interface Page {
  readonly count: number;
  readonly total: number;
  readonly offset: number;
}

// New records move older records to later pages, so all records of a page can be repetitions of previous pages.
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
    /** Resets the count of pages without new records. */
    progress(): void {
      withoutProgress = 0;
    },
  };
}

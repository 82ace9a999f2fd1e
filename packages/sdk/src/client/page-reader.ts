import { unreadable } from '../errors.ts';

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

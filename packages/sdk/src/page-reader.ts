import type { ServiceError } from './errors.ts';

interface Page {
  readonly count: number;
  readonly total: number;
  readonly offset: number;
}

// New records shift the records of a list to later pages, so a page can contain only records that were listed before.
const maxPagesWithoutProgress = 100;

/**
 * Reads the pages of a list. Throws ServiceError for a page other than the requested one, and after many pages in a row
 * without progress, because the listing would otherwise never end.
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
    /** Call this function when a page contains a record that was not listed before. */
    progress(): void {
      withoutProgress = 0;
    },
  };
}

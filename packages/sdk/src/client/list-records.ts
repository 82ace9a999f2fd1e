import type { ServiceError } from '../errors.ts';
import type { PageOf } from './listing.ts';
import { createPageReader } from '../transport/page-reader.ts';

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

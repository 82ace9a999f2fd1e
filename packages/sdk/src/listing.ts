import type { CallOptions } from './transport.ts';
import { type OptionNames, requireOptions } from './require-options.ts';

/** Options of methods that list records, such as `keys.list`. */
export interface PagesOptions extends CallOptions {
  /** The number of records per request. Defaults to 100, which is also the maximum. */
  readonly pageSize?: number | undefined;
}

const pagesOptions: OptionNames<PagesOptions> = { pageSize: true, signal: true };

type PageOf<Member extends string, Item> = { readonly [Name in Member]: readonly Item[] } & {
  readonly count: number;
  readonly total: number;
  readonly offset: number;
};

export async function* listPages<Member extends string, Id extends string, Item extends Record<Id, string>>(
  pageAt: (query: object, options: CallOptions) => Promise<PageOf<Member, Item>>,
  filter: object = {},
  member: Member,
  id: Id,
  { pageSize: limit = 100, ...options }: PagesOptions = {},
): AsyncGenerator<Item, void, undefined> {
  requireOptions(pagesOptions, options, 'list');
  const seen = new Set<string>();
  for (let offset = 0; ;) {
    const page = await pageAt({ ...filter, limit, offset }, options);
    for (const item of page[member]) {
      if (seen.has(item[id])) continue;
      seen.add(item[id]);
      yield item;
    }
    offset = page.offset + page.count;
    if (page.count === 0 || offset >= page.total) return;
  }
}

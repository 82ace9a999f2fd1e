import {
  object,
  type OptionRules,
  positiveInteger,
  requireKind,
  requireOptions,
  signal,
} from '@eaas/protocol/internal-options';
import { createPageReader } from './page-reader.ts';
import type { CallOptions } from '../transport/transport.ts';

/** Options of methods that list records, such as `keys.list`. */
export interface PagesOptions extends CallOptions {
  /** The number of records per request. Defaults to 100, which is also the maximum. */
  readonly pageSize?: number | undefined;
}

const pagesOptions: OptionRules<PagesOptions> = { pageSize: positiveInteger, signal };

export type PageOf<Member extends string, Item> = { readonly [Name in Member]: readonly Item[] } & {
  readonly count: number;
  readonly total: number;
  readonly offset: number;
};

export async function* listPages<Member extends string, Id extends string, Item extends Record<Id, string>>(
  pageAt: (query: object, options: CallOptions) => Promise<PageOf<Member, Item>>,
  filter: object = {},
  member: Member,
  id: Id,
  given: PagesOptions = {},
): AsyncGenerator<Item, void, undefined> {
  requireOptions(pagesOptions, given, 'list');
  requireKind(object, filter, 'the filter of `list`');
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

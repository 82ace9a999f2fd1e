// The items of batches, and how they are checked.
// operations/batches.ts uses it.
import { checked, Refusal } from '@eaas/protocol/internal-service';
import { endpoints, type Item, type Route } from '@eaas/protocol/wire';

export type BatchRoute = { [R in Route]: [Item<R>] extends [never] ? never : R }[Route];

/** Returns a function that checks an item like the body of the single call. */
export function itemReader<R extends BatchRoute>(route: R): (item: unknown) => Item<R> {
  const schema = endpoints[route].item;
  return (item) => {
    if (item instanceof Refusal) throw item;
    return checked(schema, item, 'item') as Item<R>;
  };
}

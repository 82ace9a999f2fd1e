// The items of batches: how they are checked, and what their results look like.
// operations/batches.ts uses it.
import { utf8Length } from '@eaas/protocol/internal';
import { endpoints, type Item, type Route, limits, type Receipt, type Problem } from '@eaas/protocol/wire';
import { Refusal } from './refusal.ts';
import { checked } from './request.ts';

/** The result of an item: its answer, or the problem why it failed, and the audit entry about it if there is one. */
export type BatchResult<Answer> = (Answer | { readonly error: Problem }) & {
  entry?: Receipt;
  reference?: string;
};

export type BatchRoute = { [R in Route]: [Item<R>] extends [never] ? never : R }[Route];

/** Returns a function that checks an item like the body of the single call. */
export function itemReader<R extends BatchRoute>(route: R): (item: unknown) => Item<R> {
  const schema = endpoints[route].item;
  return (item) => {
    if (item instanceof Refusal) throw item;
    return checked(schema, item, 'item') as Item<R>;
  };
}

/** Puts the receipt of an item's entry and its reference beside its answer. Refusals have them too. */
export function resultOf<Answer extends object>(
  item: unknown,
  answer: Answer | Refusal,
  entry: Receipt | undefined,
): BatchResult<Answer> {
  const result: BatchResult<Answer> = answer instanceof Refusal ? { error: answer.problem } : { ...answer };
  if (entry) result.entry = entry;
  const reference = referenceOf(item);
  if (reference !== undefined) result.reference = reference;
  return result;
}

/** Returns the result of `work`, or the Refusal that it threw. */
export function orRefusal<T>(work: () => T): T | Refusal {
  try {
    return work();
  } catch (error) {
    return refusalOf(error);
  }
}

/** Returns an error that is a Refusal, and throws any other. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}

function referenceOf(item: unknown): string | undefined {
  const hasReference = typeof item === 'object' && item !== null && Object.hasOwn(item, 'reference');
  const reference: unknown = hasReference ? Reflect.get(item, 'reference') : undefined;
  if (typeof reference !== 'string' || !reference.isWellFormed()) return undefined;
  return utf8Length(reference) <= limits.reference ? reference : undefined;
}

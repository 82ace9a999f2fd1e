import type { Steps } from '../steps.ts';
import { utf8Length } from '../text.ts';
import { endpoints, type Item, type Route } from '../wire/endpoints.ts';
import { limits } from '../wire/limits.ts';
import type { Receipt } from '../wire/primitives.ts';
import type { Problem } from '../wire/problems.ts';
import { Refusal } from './refusal.ts';
import { checked } from './request.ts';

/** The result of an item: its answer, or the problem why it failed, and the audit entry about it if there is one. */
export type BatchResult<Answer> = (Answer | { readonly error: Problem }) & {
  readonly entry?: Receipt;
  reference?: string;
};

type BatchRoute = { [R in Route]: [Item<R>] extends [never] ? never : R }[Route];

/** Returns a function that checks an item like the body of the single call. */
export function itemReader<R extends BatchRoute>(route: R): (item: unknown) => Item<R> {
  const schema = endpoints[route].item;
  return (item) => {
    if (item instanceof Refusal) throw item;
    return checked(schema, item, 'item') as Item<R>;
  };
}

/** Applies `rule` to each item, and keeps refusals as results. The caller can pause after each. */
export function* ruleEach<Item, Result>(
  items: readonly Item[],
  rule: (item: Item) => Result,
): Steps<(Result | Refusal)[]> {
  const results: (Result | Refusal)[] = [];
  for (const item of items) {
    results.push(orRefusal(() => rule(item)));
    yield;
  }
  return results;
}

/** Answers a batch: invalid items fail alone, and `run` gets the others. */
export async function runBatch<Item, Answer extends object>(
  items: readonly unknown[],
  all: readonly (Item | Refusal)[],
  run: (items: Item[]) => Promise<readonly (BatchResult<Answer> | Refusal)[]>,
): Promise<{ results: BatchResult<Answer>[] }> {
  const accepted = all.filter((item): item is Item => !(item instanceof Refusal));
  const results = await run(accepted);
  let next = 0;
  return {
    results: all.map((item, index) => {
      const result = item instanceof Refusal ? item : results[next++];
      if (!result)
        throw new Error(
          `a batch must return one result per item: expected ${accepted.length} results (got ${results.length})`,
        );
      const answer = result instanceof Refusal ? { error: result.problem } : result;
      const reference = referenceOf(items[index]);
      return reference === undefined ? answer : Object.assign({}, answer, { reference });
    }),
  };
}

/** Puts the receipt of an item's entry beside its answer. Refusals have one too, if the audit log has them. */
export function withReceipt<Answer extends object>(
  answer: Answer | Refusal,
  entry: Receipt | undefined,
): BatchResult<Answer> | Refusal {
  if (!entry) return answer;
  return answer instanceof Refusal ? { error: answer.problem, entry } : { ...answer, entry };
}

/** Returns the result of `work`, or the Refusal that it threw. */
export function orRefusal<T>(work: () => T): T | Refusal {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function referenceOf(item: unknown): string | undefined {
  const hasReference = typeof item === 'object' && item !== null && Object.hasOwn(item, 'reference');
  const reference: unknown = hasReference ? Reflect.get(item, 'reference') : undefined;
  if (typeof reference !== 'string' || !reference.isWellFormed()) return undefined;
  return utf8Length(reference) <= limits.reference ? reference : undefined;
}

import { type Endpoint, limits, utf8Length } from '@eaas/protocol/wire';
import { Refusal } from '../refusal.ts';
import { checked, requireWellFormed } from './json-body.ts';

/**
 * Runs the well-formed items of a batch together, and puts each result, or the problem of a malformed item, in its
 * place with the item's reference.
 */
export async function runBatch(
  schema: NonNullable<Endpoint['item']>,
  items: readonly unknown[],
  run: (items: object[]) => Promise<{ results: readonly object[] }>,
): Promise<{ results: object[] }> {
  const judged = items.map((item) => judge(schema, item));
  const good = judged.filter((item) => !(item instanceof Refusal));
  const { results } = await run(good);
  if (results.length !== good.length)
    throw new Error('a batch has to answer as many results as it has items');
  let next = 0;
  return {
    results: judged.map((item, i) => {
      const result = item instanceof Refusal ? item : (results[next++] ?? {});
      const reference = referenceOf(items[i]);
      const answer = result instanceof Refusal ? { error: result.problem } : result;
      return reference === undefined ? answer : Object.assign({}, answer, { reference });
    }),
  };
}

function judge(schema: NonNullable<Endpoint['item']>, item: unknown): object | Refusal {
  try {
    requireWellFormed(item);
    return checked(schema, item, 'item');
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function referenceOf(item: unknown): string | undefined {
  const reference: unknown =
    typeof item === 'object' && item !== null && 'reference' in item ? item.reference : undefined;
  const usable =
    typeof reference === 'string' && reference.isWellFormed() && utf8Length(reference) <= limits.reference;
  return usable ? reference : undefined;
}

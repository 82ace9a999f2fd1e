import { type Endpoint, type Problem, utf8Length, limits } from '@eaas/protocol/wire';
import { Refusal } from '../refusal.ts';
import { checked, requireWellFormed } from './json-body.ts';

type Malformed = { error: Problem; reference?: string };

/**
 * Runs the well-formed items of a batch together and answers the malformed ones, each in its place. When none is
 * well-formed, nothing runs.
 */
export async function runBatch(
  schema: NonNullable<Endpoint['item']>,
  items: readonly unknown[],
  run: (items: object[]) => Promise<{ results: unknown[] }>,
): Promise<{ results: unknown[] }> {
  const judged = items.map((item) => judge(schema, item));
  const good = judged.flatMap((one) => ('item' in one ? [one.item] : []));
  const { results } = good.length > 0 ? await run(good) : { results: [] };
  if (results.length !== good.length)
    throw new Error('a batch has to answer as many results as it has items');
  let next = 0;
  return { results: judged.map((one) => ('item' in one ? results[next++] : one.malformed)) };
}

function judge(
  schema: NonNullable<Endpoint['item']>,
  item: unknown,
): { item: object } | { malformed: Malformed } {
  try {
    requireWellFormed(item);
    return { item: checked(schema, item) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const reference = referenceOf(item);
    return { malformed: { error: error.problem, ...(reference !== undefined && { reference }) } };
  }
}

function referenceOf(item: unknown): string | undefined {
  const reference: unknown =
    typeof item === 'object' && item !== null && 'reference' in item ? item.reference : undefined;
  const usable =
    typeof reference === 'string' && reference.isWellFormed() && utf8Length(reference) <= limits.reference;
  return usable ? reference : undefined;
}

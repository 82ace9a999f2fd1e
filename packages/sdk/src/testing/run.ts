import { type Endpoint, limits, type Route, utf8Length } from '@eaas/protocol/wire';
import type { Call } from './call.ts';
import { checked, requireWellFormed } from './input.ts';
import { operations } from './operations.ts';
import { Refusal } from './refusal.ts';

type Operation = (call: Call, input: object) => object | Promise<object>;

/** Does what a route does, and answers what the endpoint table says that it answers. */
export async function run(route: Route, endpoint: Endpoint, call: Call, input: object): Promise<object> {
  const operate = operations[route] as unknown as Operation;
  const { item } = endpoint;
  const output = item
    ? await runBatch(item, (input as { items: unknown[] }).items, async (items) => {
        return (await operate(call, { items })) as { results: object[] };
      })
    : await operate(call, input);
  return endpoint.output.parse(output);
}

/** The malformed items fail alone; every result stands in its place, with the item's reference. */
async function runBatch(
  schema: NonNullable<Endpoint['item']>,
  items: readonly unknown[],
  operate: (items: object[]) => Promise<{ results: object[] }>,
): Promise<object> {
  const judged = items.map((item) => judge(schema, item));
  const { results } = await operate(judged.filter((item) => !(item instanceof Refusal)));
  let next = 0;
  return {
    results: judged.map((item, index) => {
      const result = item instanceof Refusal ? item : results[next++];
      const reference = referenceOf(items[index]);
      const answer = result instanceof Refusal ? { error: result.problem } : (result ?? {});
      return reference === undefined ? answer : Object.assign({}, answer, { reference });
    }),
  };
}

function judge(schema: NonNullable<Endpoint['item']>, item: unknown): object | Refusal {
  try {
    requireWellFormed(item);
    return checked(schema, item);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function referenceOf(item: unknown): string | undefined {
  const reference: unknown =
    typeof item === 'object' && item !== null && 'reference' in item ? item.reference : undefined;
  const isUsable =
    typeof reference === 'string' && reference.isWellFormed() && utf8Length(reference) <= limits.reference;
  return isUsable ? reference : undefined;
}

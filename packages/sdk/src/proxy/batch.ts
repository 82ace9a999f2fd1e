import { utf8Length, limits, type Problem } from '@eaas/protocol/wire';
import type { CheckedGrant } from './grant.ts';
import { type Allowed, judge } from './judge.ts';
import { Refusal } from './refusal.ts';
import type { Target } from './routes.ts';

/** What came of an item: the answer of the single call, or its problem. */
type Result = object | { readonly error: Problem };

/** The items of a batch, judged one by one, and what puts the results of the allowed ones into the places of all. */
export interface JudgedBatch {
  readonly allowed: readonly Allowed[];
  readonly inPlace: (results: readonly Result[]) => { readonly results: readonly object[] };
}

/** Judges each item alone: one that is malformed, or names a key that is not granted, is not asked for. */
export function judgeBatch(items: readonly unknown[], target: Target, grant: CheckedGrant): JudgedBatch {
  const judged = items.map((item) => tried(item, target, grant));
  const inPlace = (results: readonly Result[]) => {
    let next = 0;
    const all = judged.map((item, index) => {
      const result = item instanceof Refusal ? { error: item.problem } : results[next++];
      const reference = referenceOf(items[index]);
      return { ...result, ...(reference !== undefined && { reference }) };
    });
    return { results: all };
  };
  return { allowed: judged.filter((item): item is Allowed => !(item instanceof Refusal)), inPlace };
}

function tried(item: unknown, target: Target, grant: CheckedGrant): Allowed | Refusal {
  try {
    return judge(item, target, grant);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** The reference goes no further than here: the places of the items tell them apart. */
function referenceOf(item: unknown): string | undefined {
  const reference: unknown =
    typeof item === 'object' && item !== null && Object.hasOwn(item, 'reference')
      ? (item as { reference: unknown }).reference
      : undefined;
  const usable =
    typeof reference === 'string' && reference.isWellFormed() && utf8Length(reference) <= limits.reference;
  return usable ? reference : undefined;
}

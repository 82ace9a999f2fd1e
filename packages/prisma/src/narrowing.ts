// Searches by `dateRange` whose bounds are inside a month. The database also finds the other days of the month, and the
// extension drops them after decryption, where that changes nothing but which rows are returned.
import type { PartComparison } from '@eaas/sdk/fields';
import type { Model } from './models.ts';
import { type Args, isArgs } from './values.ts';
import type { Work } from './work.ts';

/**
 * Finds the searches that every row must meet, because no `OR` or `NOT` is around them. Returns a copy of `where` in
 * which they are noted as searches to compare with, and these searches by field.
 */
export function narrowedWhere(
  work: Work,
  model: Model,
  where: unknown,
): { where?: unknown; narrowing?: Args | undefined } {
  const narrowing: Record<string, Args> = {};
  const copy = copyOf(where);
  return Object.keys(narrowing).length === 0 ? {} : { where: copy, narrowing };

  function copyOf(given: unknown): unknown {
    if (Array.isArray(given)) return given.map(copyOf);
    if (!isArgs(given)) return given;
    const entries = Object.entries(given).map(([name, value]) => {
      if (name === 'AND') return [name, copyOf(value)] as const;
      return [name, model.encrypted.has(name) && isArgs(value) ? filterOf(name, value) : value] as const;
    });
    return Object.fromEntries(entries);
  }

  function filterOf(field: string, filter: Args): Args {
    const entries = Object.entries(filter).map(([name, operand]) => {
      const part = model.encrypted.get(field)?.parts.find((each) => each.name === name);
      if (!part || !isArgs(operand) || !isWide(part.comparison, operand) || narrowing[field]?.[name])
        return [name, operand] as const;
      const own = { ...operand };
      work.narrowed.add(own);
      narrowing[field] = { ...narrowing[field], [name]: own };
      return [name, own] as const;
    });
    return Object.fromEntries(entries);
  }
}

function isWide(comparison: PartComparison | undefined, operand: Args): boolean {
  try {
    return comparison?.isWhole(operand) === false;
  } catch {
    return false; // The query is invalid. The search throws an error that names the field.
  }
}

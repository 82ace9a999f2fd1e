import { pae } from '@eaas/protocol';
import {
  foldOf,
  indexOf,
  type PartIndex,
  textPartOptions,
  type TextPartOptions,
  type TypedValue,
} from './part-index.ts';
import { refuse } from './value-type.ts';

/** The query of `withFields`: an object with a value for each field that the index combines. */
export interface FieldsQuery<Name extends string> {
  readonly 'a value for each field': Name;
}

/**
 * Finds rows by the values of several fields together. Ignores case and accents in texts. Reveals which rows have the
 * same combination of values. To find the values of a row, an attacker must try all combinations.
 */
export function withFields<const Name extends string, const Column extends string | true = true>(
  others: readonly Name[],
  options: TextPartOptions<Column>,
): PartIndex<never, FieldsQuery<Name>, false, NoInfer<Column>> {
  const index = indexOf('withFields', textPartOptions, options);
  if (!(Array.isArray(others) && others.length > 0))
    refuse('the first argument of `withFields` must be a non-empty array of names of fields');
  const fold = foldOf(options);
  const partsOf = (...values: readonly TypedValue[]) => {
    const encoded = values.map(({ type, value }) => {
      // Checks the type: `encode` throws for a value of the wrong type, and `fold` does not.
      type.encode(value);
      if (typeof value === 'string') return type.encode(fold(value));
      return type.encode(typeof value === 'number' ? value + 0 : value); // -0 becomes 0, so that a search for 0 also finds -0.
    });
    return encoded.some(({ length }) => length === 0) ? [] : [pae(...encoded)];
  };
  return {
    ...index,
    others,
    isList: false,
    partsOf,
    soughtBy(query, ...fields) {
      const given = new Map<string, unknown>(Object.entries(Object(query)));
      const isComplete = fields.every(({ name }) => (given.get(name) ?? null) !== null);
      if (!isComplete || given.size !== fields.length) {
        const names = fields.map(({ name }) => name).join(', ');
        refuse(`the query must have a value for each of ${names}, because the index combines these fields`);
      }
      return partsOf(...fields.map(({ name, type }) => ({ name, type, value: given.get(name) })));
    },
  };
}

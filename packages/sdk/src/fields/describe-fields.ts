import type { FieldsDefinition } from './define-fields.ts';
import { planOf, requireTable } from './plan.ts';
import type { NameOf, Tables } from './row-types.ts';

/** An index that `searchableBy` added to a field. */
export interface PartDescription {
  readonly name: string;
  /** The name of the index column. */
  readonly column: string;
  /** The names of the other fields that the index covers. A write needs the values of these fields too. */
  readonly others: readonly string[];
  /** Whether the index column contains several fingerprints, separated by spaces. */
  readonly isList: boolean;
  /** The length of a fingerprint in bits. */
  readonly bits: number;
}

/** Describes an encrypted field for an adapter of a database library. */
export interface FieldDescription {
  readonly name: string;
  /** The name of the field's type, such as `text`. */
  readonly type: string;
  /** The name of the index column. Undefined if the field is not searchable. */
  readonly indexColumn: string | undefined;
  /** The length of a fingerprint in bits. If it is less than 256, different values can have the same fingerprint. */
  readonly bits: number | undefined;
  /** The indexes that `searchableBy` added to the field. */
  readonly parts: readonly PartDescription[];
  /** Whether encryption and decryption need the id of the row. */
  readonly isBoundToRow: boolean;
}

/**
 * Describes the encrypted fields of a table, for adapters of database libraries. Throws InputError for an unknown
 * table.
 */
export function describeFields<T extends Tables>(
  definition: FieldsDefinition<T>,
  table: NameOf<T>,
): readonly FieldDescription[] {
  return requireTable(planOf(definition?.tables), table).fields.map(
    ({ name, field, indexColumn, parts }) => ({
      name,
      type: field.type.name,
      indexColumn,
      bits: field.index?.bits,
      parts: parts.map(({ name, column, index: { others, isList, bits } }) => ({
        name,
        column,
        others,
        isList,
        bits,
      })),
      isBoundToRow: field.context !== 'field',
    }),
  );
}

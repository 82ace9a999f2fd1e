// What the plugin must know of an encrypted table: which values its columns take, and what is written together.
import { type FieldsDescription, isEncrypted } from '@eaas/sdk/fields';

/** An encrypted column, or the column of an index. */
export interface Column {
  readonly isIndex: boolean;
  readonly accepts: (value: unknown) => boolean;
  /** What must be written with it: the indexes of a field, or the fields of an index. */
  readonly partners: readonly string[];
}
export type Columns = ReadonlyMap<string, Column>;

export function columnsOf({ fields, indexes }: FieldsDescription[string]): Columns {
  const partnersOf = (field: string) =>
    indexes.filter(({ of }) => of.includes(field)).map(({ column }) => column);
  return new Map<string, Column>([
    ...fields.map(({ column }): [string, Column] => [
      column,
      { isIndex: false, accepts: isEncrypted, partners: partnersOf(column) },
    ]),
    ...indexes.map(({ column, of, digits }): [string, Column] => {
      const fingerprints = new RegExp(`^[0-9a-f]{${digits}}(?: [0-9a-f]{${digits}})*$`);
      return [column, { isIndex: true, accepts: (value) => fingerprints.test(String(value)), partners: of }];
    }),
  ]);
}

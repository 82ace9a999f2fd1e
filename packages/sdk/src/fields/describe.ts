// What a definition says of its tables, for packages that check queries, migrations or grants by it.
import { planOf } from './plan.ts';
import type { FieldsTables } from './row-types.ts';

/**
 * The tables of a definition, by name. `context` of a field says whether its ciphertexts are bound to the id of their row, to the
 * column alone (`field`), or to what the function of the app returns. `column` of an index has fingerprints of so many hexadecimal
 * `digits`, as a list with spaces between them if `isList`; each is computed from all columns in `of`, for the table and field in
 * `boundTo`.
 */
export type FieldsDescription = ReturnType<typeof describe>;

export const describe = (tables: FieldsTables) =>
  Object.fromEntries(
    Array.from(planOf(tables).values(), ({ table, fields, columns, encrypted }) => [
      table,
      {
        fields: fields.map(({ name, field: { type, context = 'row' } }) => ({
          column: name,
          type: type.name,
          /** `row`, `field`, or the function of the app. */
          context,
        })),
        indexes: fields.flatMap(({ names: [{ table, field }], indexes, field: { index: whole } }) =>
          indexes.map(({ name, column, index, fields: covered }) => ({
            column,
            of: covered.map((each) => each.name),
            digits: Math.ceil(index.bits / 4),
            isList: index.isList,
            boundTo: (name === undefined && whole?.boundTo) || { table, field },
          })),
        ),
        unencrypted: [...columns].filter((column) => !encrypted.has(column)),
      },
    ]),
  );

// What statements need to know of their tables: the core of the SDK, which encrypts, searches and opens, and the definition of
// each table for it. `withEncryption` makes it once, and `as` and `onError` change its core.
import { type Column, is, Table } from 'drizzle-orm';
import {
  defineFields,
  type EncryptionOptions,
  type FieldsClient,
  type FieldsDefinition,
  type FieldsTables,
} from '@eaas/sdk/fields';
import { coreOf, type CoreTable } from '@eaas/sdk/internal';
import { refuse } from './error.ts';
import { encryptedColumns } from './fields.ts';
import { type Encryption, layoutOf, uniqueIn } from './table.ts';

export type Row = Record<string, unknown>;

export interface Access {
  readonly core: ReturnType<typeof coreOf>;
  /** The table in the core. Throws for a mistake in the options or in its definition. */
  readonly tableOf: (table: Table) => CoreTable;
  readonly storedName: (column: Column) => string;
  readonly isTransaction?: boolean;
}

/** The name of a column in a database of Drizzle. */
export function storedName(database: object, column: Column): string {
  const { dialect } = database as { dialect?: { casing?: { getColumnCasing(column: Column): string } } };
  return dialect?.casing?.getColumnCasing(column) ?? column.name;
}

/** Throws for a mistake in the options or in a table of the schema. Other tables are checked when they are used. */
export function accessFor(database: object, client: FieldsClient, options: EncryptionOptions): Access {
  const core = coreOf(client, options, 'withEncryption');
  // The aliases of a table have the same `Encryption` objects as the table.
  const made = new WeakMap<Encryption, CoreTable>();
  const { _ } = database as { _?: { fullSchema?: Readonly<Record<string, unknown>> } };
  const schema = Object.values(_?.fullSchema ?? {}).filter((value): value is Table => is(value, Table));
  const encrypted = schema.filter((table) => layoutOf(table).columns.length > 0);
  const tableOf = (table: Table): CoreTable => {
    const { encryption } = layoutOf(table).columns[0] as { encryption: Encryption };
    const found = made.get(encryption);
    if (found) return found;
    // Not before: without a schema, a module that is loaded later can define a table.
    const names = new Set(encrypted.map(nameOf));
    if (schema.length === 0) for (const each of encryptedColumns.values()) names.add(each.table);
    core.requireTables([...names]);
    requireOwnNames(table, database);
    const own = core.table(fieldsOf(table), encryption.table, undefined, uniqueIn(table));
    made.set(encryption, own);
    return own;
  };
  for (const table of encrypted) tableOf(table);
  return { core, tableOf, storedName: (column) => storedName(database, column) };
}

/**
 * Returns the encrypted fields of tables. Pass them to `checkConstraints` or a re-encryption job, or use them without
 * Drizzle.
 *
 * @example
 * ```ts
 * import { fieldsOf } from '@eaas/drizzle/pg';
 *
 * const records = fieldsOf(patients).for(eaas, { index: process.env.EAAS_INDEX_KEY! });
 * const row = await records.encryptRow('patients', 7, { id: 7, ssn: '123-45-6789' });
 * ```
 */
export function fieldsOf(...tables: readonly Table[]): FieldsDefinition<FieldsTables> {
  const definitions = tables.map((table): [string, FieldsTables[string]] => {
    const { columns, plain, person, subjectOf } = layoutOf(table);
    const fields = columns.map(({ column, encryption }) => [column.name, encryption.field] as const);
    // A function is called with all columns that the definition lists, and only those name the person.
    const others = (subjectOf ? person : plain).map(
      ({ column }) => [column.name, { unencrypted: true }] as const,
    );
    // A table without `lowEntropy` has no index that needs it: `encryptedTable` has seen to that.
    const options = { lowEntropy: 'accepted', ...(person[0] && { subject: subjectIn(table) }) };
    return [nameOf(table), { ...Object.fromEntries([...fields, ...others]), ...options }];
  });
  return defineFields(Object.fromEntries(definitions));
}

/** The name of the column that is the subject, or a function of the columns by their names. */
function subjectIn(table: Table): string | ((row: Row) => unknown) {
  const { person, subjectOf } = layoutOf(table);
  const [first] = person;
  if (!subjectOf) return first?.column.name ?? '';
  const get = (row: Row, key: string): unknown => {
    const { column } = person.find((each) => each.key === key) ?? {};
    if (column) return row[column.name];
    const problem = 'the function `subject` reads the column of some rows only';
    return refuse('definition', { table: nameOf(table), column: key }, problem, 'read it of all rows');
  };
  return (row) => subjectOf(new Proxy(row, { get }));
}

/** The name of the table, also for an alias. */
const nameOf = (table: Table): string => layoutOf(table).columns[0]?.encryption.table ?? '';

/** Ciphertexts are bound to the name of their column in the schema, which must therefore be the name in the database. */
function requireOwnNames(table: Table, database: object): void {
  const { columns, person } = layoutOf(table);
  for (const { column } of [...columns, ...person]) {
    const name = storedName(database, column);
    if (name === column.name) continue;
    const place = { table: nameOf(table), column: column.name };
    const problem = `\`casing\` changes the name of the column to \`${name}\`, but ciphertexts are bound to the name in the schema`;
    refuse('definition', place, problem, `name the column, as in \`encrypted('${name}', field.text())\``);
  }
}

// Where the table of `adopt` or `leak` is: the address of a database, or a schema of Drizzle or Prisma, which also says what the app calls
// the table and its columns.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { InputError } from '@eaas/protocol';
import { addresses, addressOf, loadModule } from '../connect.ts';
import type { Column } from './words.ts';

/** What the app and the database call a table. */
export interface Names {
  readonly style: 'drizzle' | 'prisma' | 'sql';
  /** The name to which the ciphertexts are bound. */
  readonly name: string;
  readonly schema?: string | undefined;
  /** The name in the database. */
  readonly table: string;
  readonly id?: string | undefined;
  /** The columns that `--reader` needs. */
  readonly needed?: readonly Column[];
  /** The names of columns in the app, by their names in the database. */
  readonly columns: ReadonlyMap<string, string>;
}

/**
 * Returns the names of a table, and the address of its database. `where` is that address, the name of a variable that has it, or
 * the path of a schema.
 */
export async function placeOf(where: string, table: string): Promise<{ names: Names; address: string }> {
  const path = resolve(where);
  const isSchema = !addresses.test(where) && existsSync(path);
  const { address, schema: inAddress } = addressOf(isSchema ? 'DATABASE_URL' : where);
  if (!isSchema) {
    const [name = '', schema = inAddress] = table.split('.').toReversed();
    return { names: { style: 'sql', name, schema, table: name, columns: new Map() }, address };
  }
  const tables = path.endsWith('.prisma') ? inPrisma(readFileSync(path, 'utf8')) : await inDrizzle(path);
  const names = tables.find((each) => each.name === table || each.table === table);
  if (names) return { names: { ...names, schema: names.schema ?? inAddress }, address };
  const known = tables.map(({ name }) => name).join(', ');
  throw new InputError(
    `\`${where}\` names no table \`${table}\` in the database (it has ${known || 'none'})`,
  );
}

function inPrisma(schema: string): Names[] {
  const named = (text: string, attribute: string) =>
    new RegExp(`${attribute}\\((?:name: *)?"([^"]+)"`).exec(text)?.[1];
  return Array.from(
    schema.replaceAll(/\/\/.*/g, '').matchAll(/^\s*model\s+(\w+)\s*\{([^]*?)^\s*\}/gm),
    ([, name = '', body = '']) => {
      const columns = Array.from(body.matchAll(/^\s*(\w+)\s+\w.*$/gm), ([line, field = '']) => {
        return { field, column: named(line, '\\s@map') ?? field, isId: /\s@id\b/.test(line) };
      });
      return {
        style: 'prisma',
        name,
        schema: named(body, '@@schema'),
        table: named(body, '@@map') ?? name,
        id: columns.find(({ isId }) => isId)?.column,
        columns: new Map(columns.map(({ column, field }) => [column, field])),
      };
    },
  );
}

async function inDrizzle(path: string): Promise<Names[]> {
  const exported: unknown[] = Object.values(await loadModule(path, 'the schema'));
  return exported.filter(isTable).map(namesOf);
}

/** Whether a value is a table of Drizzle. */
export const isTable = (value: unknown): boolean => Symbol.for('drizzle:IsDrizzleTable') in Object(value);

/** A property of a table of Drizzle. Its type is not known here. Throws InputError if Drizzle keeps it elsewhere. */
export function ofTable(table: unknown, property: string) {
  const symbol = Symbol.for(`drizzle:${property}`);
  if (symbol in Object(table)) return Reflect.get(Object(table) as object, symbol);
  throw new InputError(
    `a table of the schema lacks \`drizzle:${property}\`, as in an unknown version of Drizzle: install drizzle-orm 0.45`,
  );
}

/** The names of a table of Drizzle. */
export function namesOf(table: unknown): Names {
  const columns: object = ofTable(table, 'Columns');
  const named = Object.entries(columns).map(([key, { name, primary }]) => ({ key, name, primary }));
  const name = ofTable(table, 'Name');
  const id = named.find(({ primary }) => primary)?.name;
  const keys = new Map(named.map((column) => [column.name, column.key]));
  return { style: 'drizzle', name, schema: ofTable(table, 'Schema'), table: name, id, columns: keys };
}

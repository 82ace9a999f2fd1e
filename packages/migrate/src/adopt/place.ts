// Where the table of `adopt` or `leak` is: the address of a database, or a schema of Drizzle or Prisma, which also says what the app calls
// the table and its columns. Drivers are those of the app, from the folder in which the command runs.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InputError } from '@eaas/protocol';
import type { SqlDatabase } from '../database.ts';
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

/** The value of a variable of the app. */
export const variable = (name: string): string | undefined => process.env[name];

const addresses = /^(?:postgres(?:ql)?|mysql|mariadb|sqlite|file):/;

/**
 * Returns the names of a table, and the address of its database. `where` is that address, the name of a variable that has it, or
 * the path of a schema.
 */
export async function placeOf(where: string, table: string): Promise<{ names: Names; address: string }> {
  const path = resolve(where);
  const isSchema = !addresses.test(where) && existsSync(path);
  const address = variable(isSchema ? 'DATABASE_URL' : where) ?? where;
  if (!addresses.test(address) || !URL.canParse(address))
    throw new InputError(
      `${isSchema ? 'DATABASE_URL' : 'the first argument'} must be postgres://…, mysql://… or file:app.db, with a percent-encoded password`,
    );
  const inAddress = /[?&]schema=(\w+)/.exec(address)?.[1];
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
  const of = (table: unknown, property: string) =>
    Reflect.get(Object(table) as object, Symbol.for(`drizzle:${property}`));
  const exported: unknown[] = Object.values(await import(pathToFileURL(path).href));
  return exported
    .filter((each) => of(each, 'Columns'))
    .map((table): Names => {
      const columns: object = of(table, 'Columns');
      const named = Object.entries(columns).map(([key, { name, primary }]) => ({ key, name, primary }));
      const [name, id] = [of(table, 'Name'), named.find(({ primary }) => primary)?.name];
      const keys = new Map(named.map((column) => [column.name, column.key]));
      return { style: 'drizzle', name, schema: of(table, 'Schema'), table: name, id, columns: keys };
    });
}

/** Opens the database with a driver that the app has installed. */
export async function connect(address: string): Promise<{ database: SqlDatabase; close: () => unknown }> {
  if (address.startsWith('postgres')) {
    const { name, found } = await fromApp('postgres', 'pg');
    const plain = address.replaceAll(/(?<=[?&])(?:schema|pgbouncer|connection_limit)=[^&]*&?/g, '');
    const pool = name === 'pg' ? new found.Pool({ connectionString: plain }) : found(plain);
    const query: SqlDatabase['query'] = (text, values) =>
      name === 'pg' ? pool.query(text, values) : pool.unsafe(text, values);
    return { database: { query }, close: () => pool.end() };
  }
  if (address.startsWith('m')) {
    const { found } = await fromApp('mysql2/promise');
    const pool = found.createPool({ uri: address.replace('mariadb:', 'mysql:'), supportBigNumbers: true });
    // Without it, MySQL may cut a text to the length of its column.
    pool.on('connection', (one: typeof pool) => one.query("set sql_mode = 'STRICT_ALL_TABLES'"));
    const query: SqlDatabase['query'] = (text, values) => pool.execute(text, values);
    return { database: { dialect: 'mysql', query }, close: () => pool.end() };
  }
  const path = resolve(address.replace(/^\w+:(?:\/\/)?/, ''));
  if (!existsSync(path)) throw new InputError(`there is no database \`${path}\``);
  const { found } = await fromApp('better-sqlite3', 'libsql', 'node:sqlite');
  const file = new (found.DatabaseSync ?? found)(path);
  const query: SqlDatabase['query'] = (text, values) => {
    const prepared = file.prepare(text);
    // Ids can be above 2^53.
    (prepared.setReadBigInts ?? prepared.safeIntegers).call(prepared, true);
    return prepared.all(...values);
  };
  await query('pragma busy_timeout = 10000', []);
  return { database: { dialect: 'sqlite', query }, close: () => file.close() };
}

/** Loads the first of some packages that the app has installed. Their types are not known here. */
export async function fromApp(...names: readonly string[]) {
  const { resolve: find } = createRequire(join(process.cwd(), 'package.json'));
  for (const name of names) {
    try {
      const path = find(name);
      const found = await import(path.startsWith('/') ? pathToFileURL(path).href : path);
      return { name, found: found.default ?? found };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  throw new InputError(`install ${names.join(', or ')} in this folder`);
}

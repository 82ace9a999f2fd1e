// Connects a command to the database and the service of an app. Its variables say where both are, and drivers are those that it has
// installed in the folder in which the command runs.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InputError } from '@eaas/protocol';
import { EaasClient, type EaasClientOptions } from '@eaas/sdk';
import type { SqlDatabase } from './database.ts';

/** The value of a variable of the app. */
export const variable = (name: string): string | undefined => process.env[name];

export const addresses = /^(?:postgres(?:ql)?|mysql|mariadb|sqlite|file):/;

/** Returns the address of a database, which a variable may have, and the schema that it names. */
export function addressOf(given: string) {
  const address = variable(given) ?? given;
  if (!addresses.test(address) || !URL.canParse(address)) {
    throw new InputError('the database must be postgres://…, mysql://… or file:app.db, percent-encoded');
  }
  return { address, schema: /[?&]schema=(\w+)/.exec(address)?.[1] };
}

type Connection = { database: SqlDatabase; schema: string | undefined; close: () => unknown };

/** Opens a database, by its address or a variable that has it, with a driver that the app has installed. */
export async function connect(given = 'DATABASE_URL'): Promise<Connection> {
  const { address, schema } = addressOf(given);
  if (address.startsWith('postgres')) {
    const { name, found } = await fromApp('postgres', 'pg');
    const plain = address.replaceAll(/(?<=[?&])(?:schema|pgbouncer|connection_limit)=[^&]*&?/g, '');
    const pool = name === 'pg' ? new found.Pool({ connectionString: plain }) : found(plain);
    const query: SqlDatabase['query'] = (text, values) =>
      name === 'pg' ? pool.query(text, values) : pool.unsafe(text, values);
    return { database: { query }, schema, close: () => pool.end() };
  }
  if (address.startsWith('m')) {
    const { found } = await fromApp('mysql2/promise');
    const pool = found.createPool({ uri: address.replace('mariadb:', 'mysql:'), supportBigNumbers: true });
    // Without it, MySQL may replace characters that a column cannot hold.
    pool.on('connection', (one: typeof pool) => one.query("set sql_mode = 'STRICT_ALL_TABLES'"));
    const query: SqlDatabase['query'] = (text, values) => pool.execute(text, values);
    return { database: { dialect: 'mysql', query }, schema, close: () => pool.end() };
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
  return { database: { dialect: 'sqlite', query }, schema, close: () => file.close() };
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

/** Makes the client of the service in EAAS_LOCAL, or of the one that EAAS_BASE_URL names. */
export async function clientOf(onEvent?: EaasClientOptions['onEvent']): Promise<EaasClient> {
  const sealed = variable('EAAS_LOCAL');
  if (sealed === undefined && !variable('EAAS_API_KEY')) {
    throw new InputError(
      'set EAAS_LOCAL, as `npx --no-install @eaas/local new` prints it, or EAAS_BASE_URL, EAAS_API_KEY and EAAS_KEY_ID',
    );
  }
  if (sealed === undefined) return new EaasClient({ onEvent });
  const { found } = await fromApp('@eaas/local');
  const { found: internal } = await fromApp('@eaas/local/internal');
  const service = found.createLocalService({ sealed, ...internal.openOfEnvironment() });
  // What the program says is in the cause.
  await service.ready().catch(({ message, cause }: Error) => {
    throw new InputError(cause instanceof Error ? cause.message : message);
  });
  return new EaasClient({ onEvent, service });
}

/** Loads a module of the app, whose exports are not known here. `role` is what errors call it. */
export async function loadModule(path: string, role: string) {
  return import(pathToFileURL(resolve(path)).href).catch(({ message }: Error) => {
    const remedy =
      'correct it, and if Node lacks TypeScript, pass a .mjs file, or set NODE_OPTIONS="--import tsx"';
    throw new InputError(`${role} cannot load ${path} (${message}): ${remedy}`);
  });
}

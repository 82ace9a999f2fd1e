import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import postgres from 'postgres';
import type { TestDatabase } from '../../setup/database.ts';
import { requireTools } from '../../setup/tools.ts';

/** A client without the types of the schema. The type check of the example checks the types. */
type Delegate = Readonly<Record<string, (args?: object) => Promise<unknown>>>;
export interface Client extends Readonly<Record<'patient' | 'visit' | 'bill' | 'doctor' | 'tag', Delegate>> {
  $extends(extension: unknown): Client;
  $transaction(work: unknown): Promise<unknown>;
  $queryRawUnsafe(statement: string): Promise<unknown>;
  $disconnect(): Promise<void>;
}

export const here = fileURLToPath(new URL('.', import.meta.url));

/** Installs Prisma and generates the client of a schema. */
export async function generateClient(schema = join(here, 'schema.prisma')): Promise<void> {
  const modules = await requireTools('orms/prisma');
  // Prisma downloads its schema engine, but generating a client does not need it.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', PRISMA_HIDE_UPDATE_MESSAGE: '1' };
  const command = [join(modules, 'prisma/build/index.js'), 'generate', '--schema', schema];
  await promisify(execFile)(process.execPath, command, { cwd: here, env });
}

/** Creates the tables in a database, and opens the generated client on it. */
export async function openPrisma({ connection }: Pick<TestDatabase, 'connection'>): Promise<{
  prisma: Client;
  sql: postgres.Sql;
  close: () => Promise<void>;
}> {
  const modules = await requireTools('orms/prisma');
  const { host, port, database, username: user } = connection('owner');
  const sql = postgres({ ...connection('owner'), max: 1, onnotice: () => {} });
  await sql.unsafe(readFileSync(join(here, 'tables.sql'), 'utf8'));
  const { PrismaPg } = (await load(join(modules, '@prisma/adapter-pg/dist/index.mjs'))) as {
    PrismaPg: new (config: object) => object;
  };
  const { PrismaClient } = (await load(join(here, 'generated/client/client.ts'))) as {
    PrismaClient: new (options: object) => Client;
  };
  const prisma = new PrismaClient({ adapter: new PrismaPg({ host, port, database, user, max: 4 }) });
  const close = async (): Promise<void> => {
    await prisma.$disconnect();
    await sql.end();
  };
  return { prisma, sql, close };
}

/** The module is not installed when the rest of the repository is type-checked. */
function load(file: string): Promise<unknown> {
  return import(pathToFileURL(file).href);
}

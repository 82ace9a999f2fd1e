import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import postgres from 'postgres';
import type { FieldsClient } from '@eaas/sdk/fields';
import type { clientOf } from '@eaas/sdk/internal';
import { createDatabase } from '@eaas/test-kit/database';
import { root } from '@eaas/test-kit/markdown';
import { requireTools } from '@eaas/test-kit/tools';

type Delegate = Readonly<Record<string, (args?: object) => Promise<unknown>>>;
type Clinic = 'patient' | 'visit' | 'bill' | 'doctor' | 'tag' | 'stay' | 'letter';
type Staff = 'person' | 'bed' | 'check' | 'numbered';
export interface Client extends Readonly<Record<Clinic | Staff, Delegate>> {
  $extends(extension: unknown): Client;
  $as(user: string): Client;
  $revealed(): Client;
  [clientOf](): FieldsClient;
  $transaction(work: unknown): Promise<unknown>;
  $queryRawUnsafe(statement: string): Promise<unknown>;
  $disconnect(): Promise<void>;
}

const here = fileURLToPath(new URL('.', import.meta.url));

export const majors = [7, 6] as const;
export type Major = (typeof majors)[number];

const toolsOf = (major: Major) => (major === 7 ? 'packages/prisma/test' : 'packages/prisma/test/prisma-6');

export function folderOf(major: Major, name: string): string {
  return join(root, toolsOf(major), 'generated', name);
}

const readHere = (name: string): string => readFileSync(join(here, name), 'utf8');

export const readSchema = (name: string): string => readHere(`${name}.prisma`);

export const generators: Readonly<Record<Major, string>> = {
  7: `
generator client {
  provider = "prisma-client"
  output   = "./client"
}

datasource db {
  provider = "postgresql"
}
`,
  6: `
generator client {
  provider   = "prisma-client"
  engineType = "client"
  output     = "./client"
}
datasource db {
  provider = "postgresql"
  url      = env("DATABASE_URL")
}
`,
};

export async function generateClient(
  major: Major,
  folder: string,
  models: string,
  features: readonly string[] = [],
): Promise<void> {
  const modules = await requireTools(toolsOf(major));
  mkdirSync(folder, { recursive: true });
  const preview = `generator client {\n  previewFeatures = ${JSON.stringify(features)}`;
  const generator = generators[major].replace('generator client {', preview);
  writeFileSync(join(folder, 'schema.prisma'), generator + models);
  // Without the paths of these two engines, Prisma would download them. The generated client does not need them.
  const engines = { PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', PRISMA_QUERY_ENGINE_LIBRARY: '/bin/true' };
  const env = {
    ...process.env,
    ...engines,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    DATABASE_URL: 'postgres://unused',
  };
  const program = join(modules, 'prisma/build/index.js');
  const command = [program, 'generate', '--schema', join(folder, 'schema.prisma')];
  await promisify(execFile)(process.execPath, command, { cwd: folder, env });
}

/** Generates a client from the models of a schema, and opens it in a new database with their tables. */
export async function openPrisma(
  major: Major,
  name: string,
  models: string,
  features: readonly string[] = [],
) {
  const folder = folderOf(major, name);
  await generateClient(major, folder, readSchema(models), features);
  const modules = await requireTools(toolsOf(major));
  const { connection, drop } = await createDatabase();
  const { host, port, database, username: user } = connection('owner');
  const sql = postgres({ ...connection('owner'), max: 1, onnotice: () => {} });
  await sql.unsafe(readHere(`${models}.sql`));
  const { PrismaPg } = (await load(join(modules, '@prisma/adapter-pg/dist/index.mjs'))) as {
    PrismaPg: new (config: object) => object;
  };
  const { PrismaClient } = (await load(join(folder, 'client/client.ts'))) as {
    PrismaClient: new (options: object) => Client;
  };
  const adapter = new PrismaPg({ host, port, database, user, max: 4 });
  const prisma = new PrismaClient({ adapter });
  const close = async (): Promise<void> => {
    await prisma.$disconnect();
    await sql.end();
    await drop();
  };
  return { prisma, sql, close };
}

function load(file: string): Promise<unknown> {
  return import(pathToFileURL(file).href);
}

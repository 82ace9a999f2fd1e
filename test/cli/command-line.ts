import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { eaas, type Environment, type Finished, run } from '../conformance/program.ts';
import { createDatabase, type Template, type TestDatabase } from '../setup/database.ts';
import { migrated } from '../setup/migrated.ts';

/** The program, run as an operator would, against a database of the test's own. */
export interface CommandLine {
  readonly env: Environment;
  readonly database: TestDatabase;
  /** Runs a command to its end. */
  (...args: string[]): Promise<Finished>;
  /** The same with --json: what stood on standard output, line by line. Throws when the command failed. */
  json<T = Record<string, unknown>>(...args: string[]): Promise<T[]>;
  /** The same program with another environment. */
  with(env: Environment): CommandLine;
}

/** A command line on a fresh database: migrated, unless told otherwise. Drop the database when the tests are over. */
export async function commandLine(template: Template | null = migrated): Promise<CommandLine> {
  const database = await createDatabase(template ?? undefined);
  return on(database, {
    DATABASE_URL: database.url('server'),
    EAAS_MIGRATE_DATABASE_URL: database.url('owner'),
    EAAS_ROOT_KEY: newRootKey(),
  });
}

function on(database: TestDatabase, env: Environment): CommandLine {
  const call = (...args: string[]): Promise<Finished> => run([...eaas, ...args], env);
  return Object.assign(call, {
    env,
    database,
    with: (more: Environment) => on(database, { ...env, ...more }),
    async json<T>(...args: string[]): Promise<T[]> {
      const { code, stdout, stderr } = await call(...args, '--json');
      if (code !== 0) throw new Error(`eaas ${args.join(' ')} failed (${code}):\n${stdout}${stderr}`);
      return jsonLines<T>(stdout);
    },
  });
}

/** Every line is JSON, and nothing else is there. */
export function jsonLines<T>(stdout: string): T[] {
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as T);
}

export function newRootKey(): string {
  return randomBytes(32).toString('base64');
}

/** A directory of one test. */
export async function newDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'eaas-test-'));
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  return path;
}

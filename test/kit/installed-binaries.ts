import { readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { embeddedBinaries, inspectBinaries, type PostgresBinaries } from '../../packages/dev/src/binaries.ts';
import { oldestPostgres } from '../../packages/server/src/postgres/checks.ts';

export async function chooseBinaries(preferred: 'installed' | 'embedded'): Promise<PostgresBinaries> {
  const { TEST_POSTGRES: forced, PATH = '' } = process.env;
  if ((forced ?? preferred) === 'embedded') return embeddedBinaries();
  const installed = await installedBinaries(PATH);
  if (forced === 'installed' && installed === undefined) {
    throw new Error(
      `TEST_POSTGRES=installed, but no PostgreSQL of version ${oldestPostgres} or later is installed.`,
    );
  }
  return installed ?? embeddedBinaries();
}

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
    const found = await inspectBinaries(directory).catch(() => undefined);
    if (found && Number.parseInt(found.version, 10) >= oldestPostgres) return found;
  }
  return undefined;
}

async function subdirectories(parent: string, pattern: RegExp): Promise<string[]> {
  const names = await readdir(parent).catch(() => []);
  const version = (name: string): number => Number(/\d+$/.exec(name)?.[0] ?? 0);
  return names
    .filter((name) => pattern.test(name))
    .sort((a, b) => version(b) - version(a))
    .map((name) => join(parent, name));
}

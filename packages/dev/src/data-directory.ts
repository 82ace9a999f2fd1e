// The folder with the database and the root key of `eaas dev`. It belongs to this user alone, and git ignores it.
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { getuid } from 'node:process';
import { CannotStart, reasonOf, writeNewFile } from '@eaas/server/internal';

export const defaultDataDirectory = '.eaas';

/** Records the tenant of `eaas dev`, so only its data directories have this file. */
export const developmentFileIn = (directory: string): string => join(directory, 'dev.json');

type DataDirectory = Awaited<ReturnType<typeof openDataDirectory>>;

/** Creates the data directory if it is missing. Throws CannotStart unless it belongs to this user alone. */
export async function createDataDirectory(path: string | null): Promise<DataDirectory> {
  const directory = resolve(path ?? defaultDataDirectory);
  const refuse = (error: unknown): never => {
    throw new CannotStart(
      `The data directory ${directory} cannot be created (${reasonOf(error)}). ` +
        'Set EAAS_DATA_DIR to a directory that this user can create or write.',
      { cause: error },
    );
  };
  await makeDirectory(directory).catch(refuse);
  await requireOwn(directory);
  // Only an empty directory is made private. If other users can read existing files, `openDataDirectory` refuses the
  // directory.
  if ((await readdir(directory)).length === 0) await chmod(directory, 0o700);
  const opened = await openDataDirectory(directory);
  // An app's repository often has the data directory in it, and the root key must not get into a commit.
  await writeNewFile(join(directory, '.gitignore'), '*\n').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') refuse(error);
  });
  return opened;
}

/**
 * Creates the directory and its missing parents. Node's option `recursive` does this too, but never returns where the
 * system refuses a new directory with ENOENT, as it does in /proc.
 */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    await makeDirectory(dirname(path));
    await makeDirectory(path);
  }
}

/** Finds the data directory that a server has created, here or in a folder above. Throws CannotStart if there is none. */
export async function findDataDirectory(path: string | null): Promise<DataDirectory> {
  const directory = path === null ? nearestDataDirectory() : resolve(path);
  if (directory === undefined || !existsSync(directory)) {
    const where =
      path === null
        ? `There is no Eaas data here: no ${defaultDataDirectory} in ${process.cwd()} or a folder above it.`
        : `There is no Eaas data in ${directory}, which EAAS_DATA_DIR names.`;
    throw new CannotStart(
      `${where} Start the server first (\`eaas dev\`), or set EAAS_DATA_DIR or EAAS_DATABASE_URL to the same value as the server.`,
    );
  }
  const found = await openDataDirectory(directory);
  if (found.hasDatabase) return found;
  throw new CannotStart(
    `The data directory ${directory} holds no database yet. Start the server first (\`eaas dev\`), which creates the database.`,
  );
}

async function openDataDirectory(directory: string) {
  await requireOwn(directory);
  if (((await stat(directory)).mode & 0o066) !== 0) {
    throw new CannotStart(
      `Other users of this machine can read or write the data directory ${directory}. ` +
        `Run \`chmod 700 ${directory}\`.`,
    );
  }
  return {
    path: directory,
    rootKeyFile: join(directory, 'root.key'),
    /** If there is a database, a new root key could not decrypt its data. */
    hasDatabase: existsSync(join(directory, 'postgres', 'PG_VERSION')),
  };
}

/** Refuses a data directory that another user owns, because this user could configure PostgreSQL to run programs. */
async function requireOwn(directory: string): Promise<void> {
  const { uid } = await stat(directory);
  const user = getuid?.();
  if (user === undefined || uid === user) return;
  throw new CannotStart(
    `The data directory ${directory} belongs to the user id ${uid}, but this program runs as the user id ${user}. ` +
      'Run the program as the owner of the directory, or set EAAS_DATA_DIR to another directory.',
  );
}

/** The data directory in the current folder or the nearest folder above it. */
export function nearestDataDirectory(from = process.cwd()): string | undefined {
  const candidate = join(from, defaultDataDirectory);
  if (existsSync(candidate)) return candidate;
  return from === dirname(from) ? undefined : nearestDataDirectory(dirname(from));
}

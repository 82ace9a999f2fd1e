import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isInitialised } from './initialise.ts';

const READ_OR_WRITE_BY_OTHERS = 0o066;

/** Where things are in the directory of EAAS_DATA_DIR. */
export interface DataDirectory {
  path: string;
  postgres: string;
  rootKeyFile: string;
  ownerFile: string;
  /** Whether there is a database, so that a missing root key must not be made anew. */
  hasDatabase: () => boolean;
}

/** Makes the data directory, or checks that one is there that others cannot read. */
export async function openDataDirectory(path: string): Promise<DataDirectory> {
  const directory = resolve(path);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  // An empty one, of a new volume for instance, has nothing that somebody could have read.
  if ((await readdir(directory)).length === 0) await chmod(directory, 0o700);
  if (((await stat(directory)).mode & READ_OR_WRITE_BY_OTHERS) !== 0) {
    throw new Error(
      `Other users of this machine can read the data directory ${directory}, which holds the keys and the ` +
        `database. Run \`chmod 700 ${directory}\`.`,
    );
  }
  const postgres = join(directory, 'postgres');
  return {
    path: directory,
    postgres,
    rootKeyFile: join(directory, 'root.key'),
    ownerFile: join(directory, 'owner.json'),
    hasDatabase: () => isInitialised(postgres),
  };
}

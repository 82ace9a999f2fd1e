// The folders of this folder: one for each release, with what it has kept. `npm run keep -- 0.1` makes that of 0.1, until 0.1 is
// released; afterwards none changes.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KeptKeys } from './keys.ts';
import type { Promises } from './promises.ts';
import type { KeptRows } from './rows.ts';
import type { KeptServer } from './server.ts';

const root = fileURLToPath(new URL('.', import.meta.url));

/** What a release keeps, by the names of the files. */
interface Kept {
  readonly promises: Promises;
  readonly signatures: Promises[string];
  readonly keys: Readonly<Record<string, KeptKeys>>;
  readonly rows: KeptRows;
  readonly server: KeptServer;
}

export const folderOf = (release: string): string => resolve(root, release);

export const releases: readonly string[] = readdirSync(root).filter((name) => /^\d/.test(name));

export const keptBy = <Name extends keyof Kept>(release: string, name: Name): Kept[Name] =>
  JSON.parse(readFileSync(resolve(root, release, `${name}.json`), 'utf8')) as Kept[Name];

/** Writes one of these files. */
export function keepAs<Name extends keyof Kept>(folder: string, name: Name, what: Kept[Name]): void {
  writeFileSync(resolve(folder, `${name}.json`), `${JSON.stringify(what, null, 1)}\n`);
}

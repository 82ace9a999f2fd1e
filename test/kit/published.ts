import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly homepage?: string;
  readonly bugs?: string;
  readonly repository?: { readonly url: string; readonly directory: string };
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export type PublishedPackage = (typeof publishedPackages)[number];

const packages = new URL('../../packages/', import.meta.url);

export const publishedPackages = readdirSync(packages)
  .map((folder) => new URL(`${folder}/`, packages))
  .map((folder) => {
    const manifest = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as Manifest;
    const code = Object.keys(manifest.exports ?? {}).filter((subpath) => !subpath.endsWith('.json'));
    const entries = code.map((subpath) => manifest.name + subpath.slice(1));
    return { name: manifest.name, directory: fileURLToPath(folder).replace(/\/$/, ''), manifest, entries };
  })
  .filter(({ manifest }) => !manifest.private);

export const libraries = publishedPackages.filter(({ entries }) => entries.length > 0);

/** Returns the tarball of a package. */
export async function pack({ directory }: PublishedPackage, into: string): Promise<string> {
  const command = ['pack', '--json', '--ignore-scripts', '--pack-destination', into];
  const { stdout } = await promisify(execFile)('npm', command, { cwd: directory });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return join(into, filename);
}

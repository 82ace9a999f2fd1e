import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

export interface PublishedPackage {
  readonly name: string;
  readonly directory: string;
  readonly manifest: Manifest;
  /** What can be imported: the name, and the name with each subpath that is code. */
  readonly entries: readonly string[];
}

const packages = new URL('../../packages/', import.meta.url);

/** Every package of the workspace that is not private. */
export const publishedPackages: readonly PublishedPackage[] = readdirSync(packages)
  .map((folder) => new URL(`${folder}/`, packages))
  .map((folder) => {
    const manifest = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as Manifest;
    const code = Object.keys(manifest.exports ?? {}).filter((subpath) => !subpath.endsWith('.json'));
    const entries = code.map((subpath) => manifest.name + subpath.slice(1));
    return { name: manifest.name, directory: fileURLToPath(folder), manifest, entries };
  })
  .filter(({ manifest }) => !manifest.private);

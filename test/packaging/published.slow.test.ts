import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { requireTools } from '@eaas/test-kit/tools';
import {
  libraries,
  type Manifest,
  pack,
  type Packed,
  type PublishedPackage,
  publishedPackages,
} from '@eaas/test-kit/published';

interface Publint {
  readonly publint: (options: object) => Promise<{ readonly messages: readonly unknown[] }>;
}

interface Checked {
  readonly types: unknown;
  readonly problems?: readonly Problem[];
}

interface AreTheTypesWrong {
  readonly createPackageFromTarballData: (tarball: Uint8Array) => object;
  readonly checkPackage: (packed: object) => Promise<Checked>;
}

interface Problem {
  readonly kind: string;
  readonly resolutionKind?: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url));
const place = await newDirectory();
const packed = new Map<string, Packed>();
const copied = new Set<string>();

for (const published of publishedPackages) {
  const { name, manifest } = published;
  const made = await pack(published, place);
  packed.set(name, made);
  const installed = join(place, 'node_modules', name);
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', made.tarball, '--strip-components=1', '-C', installed]);
  const needed = [...Object.keys(manifest.dependencies ?? {}), ...requiredPeers(published)];
  for (const dependency of needed) copy(dependency, dependency.startsWith('@types/') ? installed : place);
}

async function tool<T>(path: string): Promise<T> {
  return (await import(pathToFileURL(join(await requireTools('test/tools/package-checks'), path)).href)) as T;
}

function requiredPeers({ manifest }: PublishedPackage): string[] {
  const peers = Object.keys(manifest.peerDependencies ?? {});
  return peers.filter(
    (peer) => !peer.startsWith('@eaas/') && !manifest.peerDependenciesMeta?.[peer]?.optional,
  );
}

/** Copies a dependency and what it needs. The types of Node are only where a package brings them along. */
function copy(dependency: string, into = place, parent = ''): void {
  const [own, shared] = [join(parent, 'node_modules', dependency), join('node_modules', dependency)];
  const path = existsSync(join(root, own)) ? own : shared;
  if (dependency.startsWith('@eaas/') || copied.has(join(into, path))) return;
  copied.add(join(into, path));
  if (path === shared) cpSync(join(root, path), join(into, path), { recursive: true });
  const manifest = readFileSync(join(root, path, 'package.json'), 'utf8');
  const { dependencies = {} } = JSON.parse(manifest) as Manifest;
  for (const name of Object.keys(dependencies)) copy(name, into, path);
}

function packageOf({ name }: PublishedPackage): Packed {
  const found = packed.get(name);
  if (!found) throw new Error(`${name} was not packed`);
  return found;
}

describe.each(publishedPackages)('$name as it is published', (published) => {
  test('the package contains only its code, documents and license', () => {
    const { files } = packageOf(published);
    const allowed = /^(?:(?:bin|dist|src)\/.+|docs\/.+\.(?:md|svg)|README\.md|LICENSE|package\.json)$/;
    expect(files.filter((path) => !allowed.test(path))).toEqual([]);
    expect(files.filter((path) => /\.test\.|\/testing\/.*\.test|\.tsbuildinfo$/.test(path))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE']));
  });

  test('no file of the package names a folder of the machine that built it', () => {
    const { files } = packageOf(published);
    const textOf = (path: string) => readFileSync(join(place, 'node_modules', published.name, path), 'utf8');
    expect(files.filter((path) => textOf(path).includes(root))).toEqual([]);
  });

  test('the package contains every file that its manifest names', () => {
    const { files } = packageOf(published);
    expect(filesNamedBy(published.manifest).filter((path) => !files.includes(path))).toEqual([]);
  });

  test('packing a clone after `npm ci` builds the type declarations, which `npm ci` does not build', () => {
    const { types, prepack } = published.manifest.scripts ?? {};
    expect(prepack).toBe(types && 'npm run --silent types');
    const hasTypes = JSON.stringify(published.manifest.exports ?? {}).includes('.d.ts"');
    expect(types !== undefined).toBe(hasTypes);
  });

  test('the package names the repository that releases it, as soon as there is one', () => {
    const released = process.env['RELEASE_REPOSITORY'];
    const { repository, homepage, bugs } = published.manifest;
    const url = released === undefined ? sourceOf(published) : `https://github.com/${released}`;
    const directory = relative(root, published.directory);
    expect({ repository, homepage, bugs }, 'docs/releasing.md says where the repository is named').toEqual(
      url === undefined
        ? {}
        : {
            repository: { type: 'git', url: `git+${url}.git`, directory },
            homepage: `${url}/tree/main/${directory}#readme`,
            bugs: `${url}/issues`,
          },
    );
  });

  test('passes publint', async () => {
    const data = new Uint8Array(readFileSync(packageOf(published).tarball)).buffer;
    const { publint } = await tool<Publint>('publint/src/index-node.js');
    const { messages } = await publint({ pack: { tarball: data }, strict: true });
    expect(messages).toEqual([]);
  });
});

function sourceOf({ manifest }: PublishedPackage): string | undefined {
  return manifest.repository?.url.replace(/^git\+|\.git$/g, '');
}

function filesNamedBy({ bin, exports }: Manifest): string[] {
  const targets = JSON.stringify([bin ?? {}, exports ?? {}], (name, value: unknown) =>
    name === '@eaas/source' ? undefined : value,
  );
  return Array.from(targets.matchAll(/"\.\/([^"*]+\.\w+)"(?!:)/g), ([, path]) => path ?? '');
}

describe.each(libraries)('$name as it is published', (published) => {
  test('the package has correct types for ES modules', async () => {
    const tarball = new Uint8Array(readFileSync(packageOf(published).tarball));
    const { checkPackage, createPackageFromTarballData } = await tool<AreTheTypesWrong>(
      '@arethetypeswrong/core/dist/index.js',
    );
    const { types, problems = [] } = await checkPackage(createPackageFromTarballData(tarball));
    expect(types).toBeTruthy();
    // Ignores problems of CommonJS resolution, because the packages contain only ES modules.
    const remaining = problems.filter(
      ({ resolutionKind = '' }) => !['node10', 'node16-cjs'].includes(resolutionKind),
    );
    expect(remaining).toEqual([]);
  });
});

const isOnServer = ({ name, manifest }: PublishedPackage): boolean =>
  name === '@eaas/server' || Object.hasOwn(manifest.dependencies ?? {}, '@eaas/server');

describe.each(['nodenext', 'bundler'])('with moduleResolution %s', (resolution) => {
  test.each([
    // Drizzle's own declarations have errors.
    ['without the types of Node', libraries.filter((published) => !isOnServer(published)), ['drizzle-orm']],
    // Two dependencies of Fastify look for the types of Node in vain, because here only the server finds them.
    [
      'with those that the server brings along',
      libraries.filter(isOnServer),
      ['pino-std-serializers', 'sonic-boom'],
    ],
  ])(
    'every entry compiles in a strict app, and so do all of its declarations: %s',
    (_, packages, failing) => {
      const code = readFileSync(new URL('app.txt', import.meta.url), 'utf8');
      const app = appOf(`${resolution}-${packages.length}`, packages, code);
      const errors = run(compile(resolution), app).match(/^\S.*/gm) ?? [];
      const places = errors.map(
        (error) => /^\.\.\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(error)?.[1] ?? error,
      );
      expect(Array.from(new Set(places))).toEqual(failing);
      expect(run(['out/app.js'], app)).toBe('Hello, Alice\n');
    },
  );
});

function appOf(name: string, packages: readonly PublishedPackage[], code: string): string {
  const entries = packages.flatMap((published) => published.entries);
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}';`);
  const uses = entries.map((_, index) => `if (Object.keys(entry${index}).length === 0) throw new Error();`);
  const app = join(place, name);
  mkdirSync(app, { recursive: true });
  writeFileSync(join(app, 'package.json'), '{"type":"module"}');
  writeFileSync(join(app, 'app.ts'), [...imports, ...uses, code].join('\n'));
  return app;
}

function compile(resolution: string): string[] {
  const tsc = join(modules, 'typescript', 'bin', 'tsc');
  const flags = ['--strict', '--target', 'es2022', '--lib', 'es2023,dom,dom.iterable'];
  const module = ['--module', resolution === 'nodenext' ? 'nodenext' : 'esnext'];
  return [tsc, ...flags, ...module, '--moduleResolution', resolution, '--outDir', 'out', 'app.ts'];
}

function run(command: readonly string[], cwd: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, command, { cwd, encoding: 'utf8' });
  return stdout + stderr;
}

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PublishedPackage, publishedPackages } from './published.ts';

interface Problem {
  readonly kind: string;
  readonly resolutionKind?: string;
}

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url));
const place = mkdtempSync(join(tmpdir(), 'eaas-published-'));
const packed = new Map<string, { tarball: Buffer; files: string[] }>();

/** Packs each package and unpacks it where an app would have it installed. */
beforeAll(() => {
  for (const { name, directory, manifest } of publishedPackages) {
    const output = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', place], {
      cwd: directory,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [{ filename, files }] = JSON.parse(output) as [{ filename: string; files: { path: string }[] }];
    const tarball = join(place, filename);
    packed.set(name, { tarball: readFileSync(tarball), files: files.map(({ path }) => path) });
    const installed = join(place, 'node_modules', name);
    mkdirSync(installed, { recursive: true });
    execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
    for (const dependency of Object.keys(manifest.dependencies ?? {})) link(dependency);
  }
});

afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Dependencies from outside are those of this checkout. */
function link(dependency: string): void {
  const path = join(place, 'node_modules', dependency);
  if (publishedPackages.some(({ name }) => name === dependency)) return;
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  symlinkSync(join(modules, dependency), path);
}

function packageOf({ name }: PublishedPackage): { tarball: Buffer; files: string[] } {
  const found = packed.get(name);
  if (!found) throw new Error(`${name} was not packed`);
  return found;
}

describe.each(publishedPackages)('$name as it is published', (published) => {
  test('holds its code, its source, its documents and its license, and no test', () => {
    const { files } = packageOf(published);
    const allowed = /^(?:(?:dist|src)\/.+|docs\/.+\.md|README\.md|LICENSE|package\.json)$/;
    expect(files.filter((path) => !allowed.test(path))).toEqual([]);
    expect(files.filter((path) => /\.test\.|\.tsbuildinfo$/.test(path))).toEqual([]);
    expect(files).toEqual(
      expect.arrayContaining(['README.md', 'dist/index.js', 'dist/index.d.ts', 'src/index.ts']),
    );
  });

  test('is clean for publint', async () => {
    const { tarball } = packageOf(published);
    const data = new Uint8Array(tarball).buffer;
    const { messages } = await publint({ pack: { tarball: data }, strict: true });
    expect(messages).toEqual([]);
  });

  test('has types that are right wherever ES modules are', async () => {
    const { tarball } = packageOf(published);
    const checked = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)));
    const problems: readonly Problem[] = checked.types ? checked.problems : [{ kind: 'it has no types' }];
    // ESM only, as the package says: what only CommonJS and older resolution would miss is no problem.
    const remaining = problems.filter(
      ({ resolutionKind = '' }) => !['node10', 'node16-cjs'].includes(resolutionKind),
    );
    expect(remaining).toEqual([]);
  });
});

describe.each(['nodenext', 'bundler'])('with moduleResolution %s', (resolution) => {
  test('every entry compiles in a strict app that sees only what is published', () => {
    const entries = publishedPackages.flatMap((published) => published.entries);
    const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}';`);
    const uses = entries.map((_, index) => `if (Object.keys(entry${index}).length === 0) throw new Error();`);
    const program = [...imports, ...uses, readFileSync(new URL('app.txt', import.meta.url), 'utf8')].join(
      '\n',
    );
    const app = join(place, resolution);
    mkdirSync(app, { recursive: true });
    writeFileSync(join(app, 'package.json'), '{"type":"module"}');
    writeFileSync(join(app, 'app.ts'), program);
    const module = resolution === 'nodenext' ? 'nodenext' : 'esnext';
    const flags = ['--strict', '--target', 'es2022', '--lib', 'es2023,dom,dom.iterable'];
    const tsc = join(modules, 'typescript', 'bin', 'tsc');
    const compile = [
      tsc,
      ...flags,
      '--module',
      module,
      '--moduleResolution',
      resolution,
      '--outDir',
      'out',
      'app.ts',
    ];
    expect(run(compile, app)).toBe('');
    expect(run(['out/app.js'], app)).toBe('Hello, Alice\n');
  });
});

function run(command: readonly string[], cwd: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, command, { cwd, encoding: 'utf8' });
  return stdout + stderr;
}

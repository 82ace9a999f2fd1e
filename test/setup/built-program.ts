import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const packages = fileURLToPath(new URL('../../packages/', import.meta.url));
let files: string | undefined;

/**
 * Bundles the program of the server from its source. A test run creates the bundle once, and passes its path in
 * TEST_PROGRAM. The same folder gets `operator.js`, the bundle of operator-process.ts. Returns the path of the bundle.
 */
export function builtProgram(): string {
  const operator = fileURLToPath(new URL('operator-process.ts', import.meta.url));
  return process.env['TEST_PROGRAM'] ?? build('server', { operator }, externals());
}

/** Bundles the program `eaas-files` from its source, once per test worker. Returns the bundle's path. */
export function builtFilesProgram(): string {
  files ??= build('files');
  return files;
}

function build(name: string, entryPoints: Readonly<Record<string, string>> = {}, external: string[] = []) {
  // The bundle is in a folder below the package's folder, because Node finds the package's dependencies from there.
  const cache = join(packages, name, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const outdir = mkdtempSync(join(cache, 'eaas-test-'));
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  buildSync({
    entryPoints: { main: join(packages, name, 'src/main.ts'), ...entryPoints },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['@eaas/source'],
    external,
    sourcemap: true,
    logLevel: 'silent',
  });
  return join(outdir, 'main.js');
}

function externals(): string[] {
  const manifest = JSON.parse(readFileSync(join(packages, 'server/package.json'), 'utf8')) as Record<
    string,
    object
  >;
  const kinds = ['dependencies', 'optionalDependencies', 'peerDependencies'];
  const names = kinds.flatMap((kind) => Object.keys(manifest[kind] ?? {}));
  return [...names.filter((name) => !name.startsWith('@eaas/')), '@noble/*'];
}

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, buildSync } from 'esbuild';

const packages = fileURLToPath(new URL('../../packages/', import.meta.url));
let files: string | undefined;

export function builtProgram(): string {
  const operator = fileURLToPath(new URL('operator-process.ts', import.meta.url));
  return process.env['TEST_PROGRAM'] ?? build('server', { operator }, externals());
}

export function builtFilesProgram(): string {
  files ??= build('files');
  return files;
}

/** How the program of the server is built, into a new folder that is removed when the process ends. */
export function serverBuild(): BuildOptions & { readonly outdir: string } {
  return buildOf('server', {}, externals());
}

function build(name: string, entryPoints: Readonly<Record<string, string>> = {}, external: string[] = []) {
  const options = buildOf(name, entryPoints, external);
  buildSync(options);
  return join(options.outdir, 'main.js');
}

function buildOf(name: string, entryPoints: Readonly<Record<string, string>>, external: string[]) {
  // Node finds the package's dependencies only from a folder below the package's folder.
  const cache = join(packages, name, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const outdir = mkdtempSync(join(cache, 'eaas-test-'));
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  return {
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
  } satisfies BuildOptions;
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

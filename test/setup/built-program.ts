import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

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

function build(name: string, entryPoints: Readonly<Record<string, string>> = {}, external: string[] = []) {
  // Node finds the package's dependencies only from a folder below the package's folder.
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

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const server = fileURLToPath(new URL('../../packages/server/', import.meta.url));

/**
 * Bundles the server's program from its source, and returns the bundle's path. A test run builds the program once and
 * passes the path in TEST_PROGRAM. The folder of the bundle also contains `operator.js`, the bundle of
 * operator-process.ts.
 */
export function builtProgram(): string {
  return process.env['TEST_PROGRAM'] ?? build();
}

function build(): string {
  // The bundle is in a folder below the server's folder, because Node finds the server's dependencies from there.
  const cache = join(server, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const outdir = mkdtempSync(join(cache, 'eaas-test-'));
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  buildSync({
    entryPoints: {
      main: join(server, 'src/main.ts'),
      operator: fileURLToPath(new URL('operator-process.ts', import.meta.url)),
    },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['@eaas/source'],
    external: externals(),
    sourcemap: true,
    logLevel: 'silent',
  });
  return join(outdir, 'main.js');
}

function externals(): string[] {
  const manifest = JSON.parse(readFileSync(join(server, 'package.json'), 'utf8')) as Record<string, object>;
  const kinds = ['dependencies', 'optionalDependencies', 'peerDependencies'];
  const names = kinds.flatMap((kind) => Object.keys(manifest[kind] ?? {}));
  return [...names.filter((name) => !name.startsWith('@eaas/')), '@noble/*'];
}

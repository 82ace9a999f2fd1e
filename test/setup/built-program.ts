import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const server = fileURLToPath(new URL('../../packages/server/', import.meta.url));

/**
 * Bundles the program of the server from its source. A test run creates the bundle once, and passes its path in
 * TEST_PROGRAM. The same folder gets `operator.js`, the bundle of operator-process.ts. Returns the path of the bundle.
 */
export function builtProgram(): string {
  return process.env['TEST_PROGRAM'] ?? build();
}

function build(): string {
  // Node finds the dependencies of the server only from a folder below the server's folder, so the bundle is in such a
  // folder.
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

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const files = fileURLToPath(new URL('../../packages/files/', import.meta.url));
let built: string | undefined;

/**
 * Bundles the program `eaas-files` from its source. Each test file creates the bundle once. Returns the path of the
 * bundle.
 */
export function builtFilesProgram(): string {
  built ??= build();
  return built;
}

function build(): string {
  const cache = join(files, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const outdir = mkdtempSync(join(cache, 'eaas-test-'));
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  buildSync({
    entryPoints: [join(files, 'src/main.ts')],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['@eaas/source'],
    sourcemap: true,
    logLevel: 'silent',
  });
  return join(outdir, 'main.mjs');
}

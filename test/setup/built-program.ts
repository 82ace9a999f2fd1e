import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const server = fileURLToPath(new URL('../../packages/server/', import.meta.url));
const cache = join(server, 'node_modules/.cache/eaas-test/');
const hour = 3_600_000;

/**
 * The server's program as its source is now, in one bundle: it starts in a sixth of the time that compiling it takes.
 * Lies where its dependencies are found, under a name that its content gives it.
 */
export function builtProgram(): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(server, 'src/main.ts')],
    outdir: cache,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['@eaas/source'],
    external: externals(),
    sourcemap: 'inline',
    write: false,
    logLevel: 'silent',
  });
  const hash = createHash('sha256');
  for (const { path, contents } of outputFiles) hash.update(path).update(contents);
  const directory = join(cache, hash.digest('hex').slice(0, 16));
  if (!existsSync(directory)) {
    // Another process may do the same at this moment: whole directories are moved into place.
    const temporary = join(cache, `new-${randomBytes(6).toString('hex')}`);
    mkdirSync(temporary, { recursive: true });
    for (const { path, contents } of outputFiles) writeFileSync(join(temporary, basename(path)), contents);
    moveTo(temporary, directory);
    removeOld();
  }
  utimesSync(directory, new Date(), new Date());
  return join(directory, 'main.js');
}

/** What the built package does not contain either. */
function externals(): string[] {
  const manifest = JSON.parse(readFileSync(join(server, 'package.json'), 'utf8')) as Record<string, object>;
  const names = Object.keys({ ...manifest['dependencies'], ...manifest['optionalDependencies'] });
  return [...names.filter((name) => !name.startsWith('@eaas/')), '@noble/*'];
}

function moveTo(temporary: string, directory: string): void {
  try {
    renameSync(temporary, directory);
  } catch (error) {
    rmSync(temporary, { recursive: true });
    if (!existsSync(directory)) throw error;
  }
}

function removeOld(): void {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    if (Date.now() - statSync(path).mtimeMs > hour) rmSync(path, { recursive: true, force: true });
  }
}

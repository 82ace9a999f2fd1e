import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, buildSync } from 'esbuild';

const packages = fileURLToPath(new URL('../../packages/', import.meta.url));

interface Build {
  readonly name: string;
  readonly folder?: string;
  readonly entryPoints?: Readonly<Record<string, string>>;
  readonly external?: string[];
}

const forNode = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  conditions: ['@eaas/source'],
} satisfies BuildOptions;

let files: string | undefined;

export function builtProgram(): string {
  const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  const entryPoints = { main: fileOf('main-process.ts'), operator: fileOf('operator-process.ts') };
  const options = { name: 'cli', entryPoints, external: externals(packages) };
  return process.env['TEST_PROGRAM'] ?? build(options);
}

export function programOf(checkout: string): string {
  const folder = join(resolve(checkout), 'packages');
  // Earlier checkouts have the command in the server's package.
  const name = existsSync(join(folder, 'cli')) ? 'cli' : 'server';
  return build({ name, folder, external: externals(folder) });
}

/** Bundles a file of a test, for processes of its own in any runtime. Returns the path of the program. */
export function builtScript(file: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'eaas-script-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, 'script.mjs');
  buildSync({ ...forNode, entryPoints: [file], outfile });
  return outfile;
}

export function builtFilesProgram(): string {
  files ??= build({ name: 'files', external: ['commander'] });
  return files;
}

function build(one: Build): string {
  const options = buildOf(one);
  buildSync(options);
  return join(options.outdir, 'main.js');
}

function buildOf({ name, folder = packages, entryPoints, external = [] }: Build) {
  // Node finds the dependencies of a package only for files in the package's folder, so the program is written there.
  const cache = join(folder, name, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const outdir = mkdtempSync(join(cache, 'eaas-test-'));
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  // The server reads them where its program is.
  const steps = join(folder, 'server/src/postgres/steps');
  if (existsSync(steps)) cpSync(steps, outdir, { recursive: true });
  return {
    entryPoints: { main: join(folder, name, 'src/main.ts'), ...entryPoints },
    outdir,
    ...forNode,
    splitting: true,
    external,
    sourcemap: true,
    logLevel: 'silent',
  } satisfies BuildOptions;
}

function externals(folder: string): string[] {
  const kinds = ['dependencies', 'optionalDependencies', 'peerDependencies'];
  const names = ['server', 'log', 'dev', 'cli'].flatMap((name) => {
    const path = join(folder, name, 'package.json');
    if (!existsSync(path)) return [];
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as Record<string, object>;
    return kinds.flatMap((kind) => Object.keys(manifest[kind] ?? {}));
  });
  // The bundle contains zod and noble, because loading their many files takes a third of the time that a program needs
  // to start.
  return names.filter((name) => name !== 'zod' && !name.startsWith('@eaas/'));
}

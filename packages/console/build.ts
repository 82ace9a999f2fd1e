import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { apiPage } from './src/api-page/page.ts';

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = join(root, 'dist');
const assets = join(dist, 'console/assets');

rmSync(dist, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { app: 'src/main.tsx', style: 'src/styles/app.css' },
  outdir: assets,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  // The bundle is built from the SDK's TypeScript sources, because the compiled files in `dist` might be outdated.
  conditions: ['@eaas/source'],
  // What verifies some witnesses of the public log, which the console leaves to others.
  external: ['@noble/post-quantum/ml-dsa.js'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
});

const icon = `data:image/svg+xml,${encodeURIComponent(readFileSync(join(root, 'src/icon.svg'), 'utf8').trim())}`;
const script = `/console/assets/${nameOf(metafile, 'src/main.tsx')}`;
const style = `/console/assets/${nameOf(metafile, 'src/styles/app.css')}`;
writePage('index.html', pageOf('Eaas playground', 'on'));
writePage('console/index.html', pageOf('Eaas console', 'on'));
writePage('console/without-playground.html', pageOf('Eaas console', 'off'));
writePage('docs/index.html', await apiPageWithStyle());
writeFileSync(join(dist, 'licenses.txt'), licensesOf(metafile));
await build({
  absWorkingDir: root,
  entryPoints: ['src/files.ts'],
  outdir: dist,
  format: 'esm',
  platform: 'node',
  target: 'node20',
});

function nameOf({ outputs }: Metafile, entry: string): string {
  const found = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === entry);
  if (!found) throw new Error(`esbuild wrote no output file for the entry point ${entry}`);
  return basename(found);
}

function pageOf(title: string, playground: 'on' | 'off'): string {
  const filled = { icon, title, playground, script, style };
  const template = readFileSync(join(root, 'src/page.html'), 'utf8');
  return template.replace(/\{(\w+)\}/g, (_, name: keyof typeof filled) => filled[name]);
}

/** Returns the API page as one file, so that a server can serve it without the rest of the console. */
async function apiPageWithStyle(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['src/styles/api.css'],
    bundle: true,
    minify: true,
    target: 'es2022',
    write: false,
  });
  return apiPage({ style: outputFiles[0]?.text.trim() ?? '', icon });
}

function writePage(path: string, page: string): void {
  mkdirSync(dirname(join(dist, path)), { recursive: true });
  writeFileSync(join(dist, path), page);
}

/** Returns the licence texts of the bundled packages, because the bundle may be distributed only with these texts. */
function licensesOf({ inputs }: Metafile): string {
  const paths = Object.keys(inputs).map((path) => relative(root, join(root, path)));
  const names = paths.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(names)]
    .toSorted()
    .map((name) => {
      const folder = fileURLToPath(new URL(`../../node_modules/${name}/`, import.meta.url));
      const license = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
      if (!license) {
        throw new Error(
          `the bundled package ${name} must have a file LICENSE or LICENCE (got none): ` +
            'its license must be distributed with the code',
        );
      }
      return `${name}\n\n${readFileSync(join(folder, license), 'utf8').trim()}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

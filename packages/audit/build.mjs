// Builds the page that checks evidence as one file, which loads nothing and can send nothing.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const options = { bundle: true, minify: true, write: false, target: 'es2022', conditions: ['@eaas/source'] };
const { outputFiles } = await build({ ...options, entryPoints: ['src/page/page.ts'], legalComments: 'none' });
const script = outputFiles[0].text.trim();
const template = readFileSync('src/page/verify.html', 'utf8').replace(/\n\s+/g, '\n');
const [, style] = /<style>([^]*)<\/style>/.exec(template);
const sumOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy = `default-src 'none'; script-src ${sumOf(script)}; style-src ${sumOf(style)}; base-uri 'none'; form-action 'none'`;
const page = template
  .replace('{policy}', policy)
  .replace('<script src="page.ts">', () => `<script>${script}`);
const licence = readFileSync('../../node_modules/@noble/hashes/LICENSE', 'utf8');
writeFileSync('dist/verify.html', `${page}<!-- With the noble libraries:\n\n${licence}-->\n`);

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { whereAvailable } from '@eaas/test-kit/available';
import { formatSealed, newSealed } from '../../packages/local/src/sealed.ts';
import { saidBy, savePageCode } from '@eaas/test-kit/page-code';
import { startOpenBao } from '@eaas/test-kit/open-bao';
import { surroundingsOf } from './surroundings.ts';

interface Program {
  readonly line: number;
  readonly code: string;
  readonly file: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const place = join(root, 'node_modules', '.cache', 'readme-code');
// These packages are not installed in the root, so their imports are removed. `surroundingsOf` declares the names.
const notInstalled = /^import .* from '(?:express|@47ng\/cloak|@aws-crypto\/client-node)';\n/gm;
// The code in these documents needs a database. supabase.slow.test.ts and tests of the packages run it.
const elsewhere = new Set([
  'sdk/docs/orm.md',
  'sdk/docs/from-pgsodium.md',
  'drizzle/README.md',
  'prisma/README.md',
  'kysely/README.md',
  'prisma/docs/from-prisma-field-encryption.md',
]);
const documents = readdirSync(join(root, 'packages'))
  .flatMap((name) => [`${name}/README.md`].concat(pagesOf(name)))
  .concat(readdirSync(join(root, 'docs')).map((name) => `../docs/${name}`))
  .filter((document) => document.endsWith('.md'))
  .filter((document) => !elsewhere.has(document))
  .map((document) => ({ document, programs: programsOf(document) }))
  .filter(({ programs }) => programs.length > 0);

function pagesOf(name: string): string[] {
  const folder = join(root, 'packages', name, 'docs');
  const pages = existsSync(folder) ? readdirSync(folder).filter((page) => page.endsWith('.md')) : [];
  return pages.map((page) => `${name}/docs/${page}`);
}

function programsOf(document: string): Program[] {
  const path = join(root, 'packages', document);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const blocks = Array.from(text.matchAll(/^( *)```ts\n(.*?)^ *```$/gms), (match) => {
    const line = text.slice(0, match.index).split('\n').length;
    return { line, code: match[2] ?? '', file: `page-${document.replace(/\W/g, '-')}-${line}.mts` };
  });
  const before = surroundingsOf(document);
  const [first] = blocks;
  if (before === undefined || !first) return blocks;
  const code = blocks.map((block) => block.code.replace(notInstalled, ''));
  return [{ ...first, code: [before, ...code].join('\n') }];
}

const variables = { EAAS_LOCAL: formatSealed(newSealed(Date.now())) };

// These modules find a database and other libraries by their own place, so code that needs them runs from the source.
const needsPlace = ({ code }: Program): boolean => /played-(?:database|peers)/.test(code);
const programs = documents.flatMap((each) => each.programs);

function commandOf(program: Program): string[] {
  if (needsPlace(program)) return ['--conditions=@eaas/source', '--import', 'tsx', program.file];
  return [program.file.replace('.mts', '.mjs')];
}

rmSync(place, { recursive: true, force: true });
const saved = savePageCode(place, Object.fromEntries(programs.map(({ file, code }) => [file, code])));
afterAll(saved.remove);

const run = (program: Program, vault = { VAULT_ADDR: '', VAULT_TOKEN: '' }): Promise<string> =>
  saved.node(commandOf(program), { ...variables, ...vault });

beforeAll(() => {
  // To bundle all of them takes less time than to compile and load the source for each.
  buildSync({
    entryPoints: programs.filter((one) => !needsPlace(one)).map(({ file }) => join(place, file)),
    outdir: place,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['@eaas/source'],
    logLevel: 'silent',
  });
});

test('the code in every document type-checks', async () => {
  expect(await saved.compile()).toBe('');
});

describe.each(documents)('$document', ({ programs }) => {
  test.concurrent.each(programs)('the code from line $line prints what its comments say', async (program) => {
    expect(await run(program)).toBe(saidBy(program.code));
  });
});

const bao = process.env['BAO'];
whereAvailable('OpenBao (BAO=path of bao)', bao !== undefined, () => {
  test('the page about Transit reads the ciphertexts of OpenBao', async () => {
    const { url, root: token, call } = await startOpenBao(bao ?? '');
    await call('sys/mounts/transit', { type: 'transit' });
    await call('transit/keys/patients', {});
    const page = documents.find(({ document }) => document === 'sdk/docs/from-vault-transit.md');
    const [program] = page?.programs ?? [];
    if (!program) throw new Error('the page must have code blocks (got none)');
    const vault = { VAULT_ADDR: url, VAULT_TOKEN: token };
    expect(await run(program, vault)).toBe(saidBy(program.code));
  });
});

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { surroundingsOf } from './surroundings.ts';

interface Program {
  readonly line: number;
  readonly code: string;
  readonly file: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const place = join(root, 'node_modules', '.cache', 'readme-code');
// `express` and `@47ng/cloak` are not installed, so their imports are removed. `surroundingsOf` declares the names.
const notInstalled = /^import .* from '(?:express|@47ng\/cloak)';\n/gm;
// The code in these documents needs a database. The tests in packages/sdk/test/orms run this code.
const elsewhere = new Set(['sdk/docs/orm.md', 'drizzle/README.md', 'prisma/README.md']);
const documents = readdirSync(join(root, 'packages'))
  .flatMap((name) => [`${name}/README.md`].concat(pagesOf(name)))
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
    return { line, code: match[2] ?? '', file: join(place, `${document.replace(/\W/g, '-')}-${line}.mts`) };
  });
  const before = surroundingsOf(document);
  const [first] = blocks;
  if (before === undefined || !first) return blocks;
  const code = blocks.map((block) => block.code.replace(notInstalled, ''));
  return [{ ...first, code: [before, ...code].join('\n') }];
}

function run(args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: place }, (_, stdout, stderr) => resolve(stdout + stderr));
  });
}

beforeAll(() => {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  for (const { file, code } of documents.flatMap(({ programs }) => programs)) writeFileSync(file, code);
  const compilerOptions = { noPropertyAccessFromIndexSignature: false };
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.mts'], exclude: [] };
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify(config));
});

afterAll(() => rmSync(place, { recursive: true, force: true }));

test('the code in every document type-checks', async () => {
  expect(await run([join(root, 'node_modules/typescript/bin/tsc'), '-p', place])).toBe('');
});

describe.each(documents)('$document', ({ programs }) => {
  test.concurrent.each(programs)(
    'the code from line $line prints what its comments say',
    async ({ file, code }) => {
      const said = Array.from(
        code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm),
        ([, output]) => `${output}\n`,
      );
      expect(await run(['--conditions=@eaas/source', '--import', 'tsx', file])).toBe(said.join(''));
    },
  );
});

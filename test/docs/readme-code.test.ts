import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// Runs the TypeScript of every package's README as a reader would: each block is a program of its own, and a
// comment behind a console.log says what it prints.

interface Block {
  readonly line: number;
  readonly code: string;
  /** Where the block is written to, so that imports and types resolve as in an app. */
  readonly file: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const place = join(root, 'node_modules', '.cache', 'readme-code');
const readmes = readdirSync(join(root, 'packages')).flatMap((name) => {
  const blocks = blocksOf(name);
  return blocks.length > 0 ? [{ name, blocks }] : [];
});

function blocksOf(name: string): Block[] {
  const path = join(root, 'packages', name, 'README.md');
  const text = readdirSync(join(root, 'packages', name)).includes('README.md')
    ? readFileSync(path, 'utf8')
    : '';
  return Array.from(text.matchAll(/^```ts\n(.*?)^```$/gms), (match) => {
    const line = text.slice(0, match.index).split('\n').length;
    return { line, code: match[1] ?? '', file: join(place, `${name}-${line}.mts`) };
  });
}

function run(args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: root }, (_, stdout, stderr) => resolve(stdout + stderr));
  });
}

beforeAll(() => {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  for (const { file, code } of readmes.flatMap(({ blocks }) => blocks)) writeFileSync(file, code);
  const config = { extends: join(root, 'tsconfig.json'), include: ['*.mts'] };
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify(config));
});

afterAll(() => rmSync(place, { recursive: true, force: true }));

test('the code of every README type-checks, strictly', async () => {
  expect(await run([join(root, 'node_modules/typescript/bin/tsc'), '-p', place])).toBe('');
});

describe.each(readmes)('the README of $name', ({ blocks }) => {
  test.concurrent.each(blocks)('does at line $line what it says', async ({ file, code }) => {
    const said = Array.from(code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm), ([, output]) => `${output}\n`);
    expect(said.length).toBeGreaterThan(0);
    expect(await run(['--conditions=@eaas/source', '--import', 'tsx', file])).toBe(said.join(''));
  });
});

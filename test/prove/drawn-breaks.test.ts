import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { breaksOf, decidingFiles, drawBreaks, foldersRelatedTo, testsAround } from './drawn-breaks.ts';

test('each file that decides exists, has breaks, and has tests around it', () => {
  const lacking = decidingFiles.filter(
    (file) => breaksOf(file, readFileSync(file, 'utf8')).size === 0 || testsAround(file).length === 0,
  );
  expect(lacking).toEqual([]);
  expect(new Set(decidingFiles).size).toBe(70);
});

test('the folders that are related to a file exist, and its own is the first', () => {
  for (const file of decidingFiles) {
    const folders = foldersRelatedTo(file);
    expect(file.startsWith(folders[0] ?? '-')).toBe(true);
    expect(folders.filter((folder) => !existsSync(folder))).toEqual([]);
  }
});

const source = 'function f() { if (a < b) { throw c; } return d.some(e) && (await g(h ?? i)).toString(); }';

test.each([
  ['a comparison negated', ['a < b', 'a >= b']],
  ['a ?? dropped', ['h ?? i', 'h']],
  ['an await dropped', ['await g', ' g']],
  ['some for every', ['d.some', 'd.every']],
  ['a statement dropped', ['if (a < b) { throw c; }', ''], ['throw c;', '']],
])('%s', (kind, ...changes) => {
  const broken = (breaksOf('f.ts', source).get(kind) ?? []).map(
    ({ from, to, text }) => source.slice(0, from) + text + source.slice(to),
  );
  expect(breaksOf('f.ts', source).size).toBe(5);
  expect(broken).toEqual(changes.map(([before = '', after = '']) => source.replace(before, after)));
});

test('a seed draws the same breaks again, and another seed others', () => {
  expect(drawBreaks(60, 7)).toEqual(drawBreaks(60, 7));
  expect(drawBreaks(60, 7)).not.toEqual(drawBreaks(60, 8));
});

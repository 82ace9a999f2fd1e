import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parts } from '../prove/parts.ts';
import { blocksNotRun } from './blocks-not-run.ts';
import { commandsOf, codesIn, read, root, rowsUnder } from './markdown.ts';

// The trials `patroni` of `npm run prove` start etcd, Patroni, HAProxy and pgbouncer with the files of this folder.

const folder = 'examples/high-availability/';
const page = read('docs/operating/high-availability.md');
const names = readdirSync(root + folder).filter((name) => name !== 'README.md');

test('the example of high availability has five files', () => {
  expect(names).toHaveLength(5);
});

test.each(names)('the page about high availability shows the whole file %s', (name) => {
  const shown = Array.from(page.matchAll(/^```\w*\n(.*?)^```$/gms), ([, block]) => block);
  expect(shown).toContain(read(folder + name));
});

test('the printed commands replace every placeholder of the files', () => {
  const commands = commandsOf(page).filter((line) => line.startsWith('sed '));
  expect(commands).toHaveLength(2);
  for (const command of commands) {
    const changes = Array.from(command.matchAll(/-e 's\/(.+?)\/(.+?)\/g?'/g), ([, from = '', to = '']) => [
      from,
      to,
    ]);
    const [, name = ''] = /' (\S+) > /.exec(command) ?? [];
    const text = changes.reduce((all, [from = '', to = '']) => all.replaceAll(from, to), read(folder + name));
    expect(text).not.toContain('@');
  }
});

test('the page lists every trial of Patroni', () => {
  const trials = parts.find(({ name }) => name === 'patroni')?.trials.map(({ name }) => `patroni:${name}`);
  const listed = rowsUnder(page, 'trial').map(([name = '']) => codesIn(name)[0]);
  expect(listed).toEqual(trials);
});

test('the page names every command that was not run', () => {
  const [, sentence = ''] = /These commands of the page were not run: (.*?)\.\s/s.exec(page) ?? [];
  const named = codesIn(sentence.replaceAll('\n', ' ')).map((command) => command.split(' '));
  const notRun = Object.entries(blocksNotRun['docs/operating/high-availability.md'] ?? {}).flatMap(
    ([line, reason]) => (reason.startsWith('not run') ? [line] : []),
  );
  expect(notRun).toHaveLength(7);
  const isNamed = (line: string) =>
    named.some((words) => words.every((word) => line.split(' ').includes(word)));
  expect(notRun.filter((line) => !isNamed(line))).toEqual([]);
});

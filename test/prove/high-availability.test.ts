import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { printed } from './machine/patroni/printed.ts';
import { trialNames } from './parts/patroni/abouts.ts';
import { blocksOf, commandsOf, codesIn, linksOf, read, root, rowsUnder } from '@eaas/test-kit/markdown';

// These tests only read the files of the example. The trials `patroni` of `npm run prove` start etcd, Patroni, HAProxy
// and pgbouncer with these files.

const folder = 'examples/high-availability/';
const page = read('docs/operating/high-availability.md');
const names = readdirSync(root + folder).filter((name) => name !== 'README.md');

test('the example of high availability has five files', () => {
  expect(names).toHaveLength(5);
});

test.each(names)('the page about high availability links to %s', (name) => {
  expect(linksOf(page)).toContain(`../../${folder}${name}`);
});

test('the `sed` commands on the page about high availability replace every placeholder in the files', () => {
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

test('the page about high availability lists every Patroni trial of `npm run prove`', () => {
  const listed = rowsUnder(page, 'trial').map(([name = '']) => codesIn(name)[0]);
  expect(listed).toEqual(trialNames.map((name) => `patroni:${name}`));
});

test('the Patroni trials of `npm run prove` run every command block of the page about high availability', () => {
  const blocks = blocksOf(page, 'sh');
  const beginnings = Object.values(printed);
  const runs = (block: string) => beginnings.filter((beginning) => block.startsWith(beginning));
  expect(blocks).toHaveLength(beginnings.length);
  expect(blocks.filter((block) => runs(block).length !== 1)).toEqual([]);
});

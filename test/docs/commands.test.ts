import { expect, test } from 'vitest';
import { program as cli } from '../../packages/cli/src/program.ts';
import { leaves } from '@eaas/test-kit/cli';
import { codesIn, commandsOf, manualPages, read } from '@eaas/test-kit/markdown';
import { files } from '../house-rules/files.ts';

const commands = new Map(leaves(cli));
const documents = [
  'README.md',
  ...manualPages,
  'docs/operating/observability.md',
  'examples/self-host/README.md',
  'packages/sdk/docs/sign-in.md',
  'packages/sdk/docs/from-vault-transit.md',
];

const program = /(?:^|[|(] ?)(?:npx --no-install @eaas\/cli|eaas|docker .*run --rm (?:operator|eaas)) /;

function wordsOf(line: string): string[] | undefined {
  const [call = ''] = /^(?:<\w+>|[^|>;)])*/.exec(line.split(program, 2)[1] ?? '') ?? [];
  return call.match(/(?:[^\s"]|"[^"]*")+/g) ?? undefined;
}

const printed = documents.flatMap((document) =>
  [commandsOf, codesIn].flatMap((linesOf) =>
    linesOf(read(document)).flatMap((line) => {
      const words = wordsOf(line);
      return words ? [{ document, words, isTyped: linesOf === commandsOf }] : [];
    }),
  ),
);

test.each(printed)('the command in $document exists: eaas $words', ({ words, isTyped }) => {
  const [path, command] =
    Array.from(commands).find(([name]) => ` eaas ${words.join(' ')} `.includes(` ${name} `)) ?? [];
  if (path === undefined || command === undefined) {
    throw new Error('the document contains a command that the program `eaas` does not have');
  }
  const rest = words.slice(path.split(' ').length - 1);
  const given = rest.filter((word) => word.startsWith('--'));
  const known = new Map(command.options.map((option) => [option.long, option]));
  expect(given.filter((option) => !known.has(option))).toEqual([]);
  // A command that a text names needs no arguments.
  if (!isTyped) return;
  const missing = command.options.filter(({ long = '', mandatory }) => mandatory && !given.includes(long));
  expect(missing.map(({ long }) => long)).toEqual([]);
  const values = given.filter((option) => known.get(option)?.required).length;
  const args = rest.length - given.length - values;
  const taken = command.registeredArguments;
  expect(args).toBeGreaterThanOrEqual(taken.filter(({ required }) => required).length);
  expect(args).toBeLessThanOrEqual(taken.length);
});

test('what a page adds to the variables of its reader leaves the others', () => {
  const pages = files.filter(({ path }) => path.endsWith('.md'));
  const overwriting = pages.filter(({ path }) => /(?<!>)> ?\.(?:env|dev\.vars)\b/.test(read(path)));
  expect(overwriting.map(({ path }) => path)).toEqual([]);
});

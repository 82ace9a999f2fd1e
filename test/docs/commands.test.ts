import { describe, expect, test } from 'vitest';
import { program } from '../../packages/cli/src/program.ts';
import { codesIn, commandsOf, manualPages, read, readManual, rowsUnder } from '@eaas/test-kit/markdown';

interface Command {
  readonly commands: readonly Command[];
  readonly options: readonly { long?: string; short?: string; mandatory: boolean; required: boolean }[];
  readonly registeredArguments: readonly { required: boolean }[];
  name(): string;
}

function leaves(from: Command, path: readonly string[]): [string, Command][] {
  if (from.commands.length === 0) return [[path.join(' '), from]];
  return from.commands.flatMap((each) => leaves(each, [...path, each.name()]));
}

const commands = new Map(leaves(program, ['eaas']));
const documents = [
  'README.md',
  ...manualPages,
  'packages/server/README.md',
  'docs/operating/observability.md',
  'examples/self-host/README.md',
  'packages/sdk/docs/sign-in.md',
];

describe('the manual’s table', () => {
  const rows = rowsUnder(readManual(), 'command');

  test('the table of commands in the manual has every command of the program', () => {
    expect(rows.map(([command = '']) => codesIn(command)[0])).toEqual([...commands.keys()]);
  });

  test.each(rows)(
    'the command %s has every option that the manual’s table names',
    (command = '', description = '') => {
      const known = commands.get(codesIn(command)[0] ?? '')?.options.map(({ long }) => long) ?? [];
      expect((description.match(/--[\w-]+/g) ?? []).filter((option) => !known.includes(option))).toEqual([]);
    },
  );
});

function wordsOf(line: string): string[] | undefined {
  const call = /(?:npx --no-install @eaas\/cli|run --rm (?:operator|eaas)) ((?:<\w+>|[^|>;)])*)/.exec(
    line,
  )?.[1];
  return call?.match(/(?:[^\s"]|"[^"]*")+/g) ?? undefined;
}

const printed = documents.flatMap((document) =>
  [...commandsOf(read(document)), ...codesIn(read(document))].flatMap((line) => {
    const words = wordsOf(line);
    return words ? [{ document, words }] : [];
  }),
);

test.each(printed)('the command in $document exists: eaas $words', ({ words }) => {
  const [path, command] =
    Array.from(commands).find(([name]) => ` eaas ${words.join(' ')} `.includes(` ${name} `)) ?? [];
  if (path === undefined || command === undefined)
    throw new Error('the document contains a command that the program `eaas` does not have');
  const rest = words.slice(path.split(' ').length - 1);
  const given = rest.filter((word) => word.startsWith('--'));
  const known = new Map(command.options.map((option) => [option.long, option]));
  expect(given.filter((option) => !known.has(option))).toEqual([]);
  const missing = command.options.filter(({ long = '', mandatory }) => mandatory && !given.includes(long));
  expect(missing.map(({ long }) => long)).toEqual([]);
  const values = given.filter((option) => known.get(option)?.required).length;
  const args = rest.length - given.length - values;
  const taken = command.registeredArguments;
  expect(args).toBeGreaterThanOrEqual(taken.filter(({ required }) => required).length);
  expect(args).toBeLessThanOrEqual(taken.length);
});

test('the documents contain more than 30 commands', () => {
  expect(printed.length).toBeGreaterThan(30);
});

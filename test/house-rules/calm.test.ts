// `npm test` must have the same result on a slow machine, and on one where other programs run.
import { expect, test } from 'vitest';
import { files } from './files.ts';

const everyTest = files.filter(
  ({ path }) =>
    /^(?:vitest\.config\.ts|package\.json|test\/kit\/.*\.ts|.*\.test\.tsx?)$/.test(path) &&
    !/\.slow\.test\.ts$|^test\/house-rules\//.test(path),
);

interface Rule {
  readonly what: string;
  /** Whether the text of a file breaks the rule. */
  readonly isBrokenBy: (text: string) => boolean;
  /** The files that only parse what the rule refuses. */
  readonly except?: readonly string[];
}

const matching = (pattern: RegExp) => (text: string) => pattern.test(text);

const rules: readonly Rule[] = [
  {
    what: 'runs a test again that failed',
    isBrokenBy: matching(/\bretry\s*[:=]\s*[\w{]|--retry\b|\{ retry\b/),
  },
  {
    what: 'uses a fixed port of this machine',
    isBrokenBy: matching(
      /\b(?:listen|connect)\(\s*(?:\{[^}]*\bport:\s*)?[1-9]|\bEAAS_PORT: '[1-9]|\b(?:fetch|connect|get|request)\([^)]*(?:127\.0\.0\.1|localhost|\[::1\]):[1-9]/,
    ),
    except: ['packages/cli/src/config.test.ts', 'packages/server/src/plugins/key-hosts.test.ts'],
  },
  {
    what: 'has a time limit of its own, or waits for real seconds',
    isBrokenBy: matching(/^\s*\}, \d{1,3}_\d{3}\);$|\btimeout: \d{1,2}_\d{3}\b|\bsleep\(\d+_\d{3}/m),
  },
  {
    what: 'mocks the modules of an import, which another file of the worker may have loaded before',
    isBrokenBy: matching(/\bvi\.mock\(/),
  },
  {
    what: 'asserts how long something took',
    isBrokenBy: assertsDuration,
  },
];

function assertsDuration(text: string): boolean {
  const duration = String.raw`\b(?:performance|Date)\.now\(\) - \w`;
  const names = text.matchAll(new RegExp(String.raw`\b(?:const|let) (\w+) = ${duration}`, 'g'));
  const measured = [duration, ...Array.from(names, ([, name]) => String.raw`${name}\)`)].join('|');
  return new RegExp(String.raw`\bexpect\((?:${measured})`).test(text);
}

test.each(rules)('no test of `npm test` $what', ({ isBrokenBy, except = [] }) => {
  const broken = everyTest.filter(({ path, text }) => !except.includes(path) && isBrokenBy(text));
  expect(broken.map(({ path }) => path)).toEqual([]);
});

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
  readonly planted: readonly string[];
  /** The files that only parse what the rule refuses. */
  readonly except?: readonly string[];
}

const matching = (pattern: RegExp) => (text: string) => pattern.test(text);

const rules: readonly Rule[] = [
  {
    what: 'runs a test again that failed',
    isBrokenBy: matching(/\bretry\s*[:=]\s*[\w{]|--retry\b|\{ retry\b/),
    planted: [
      "test('x', { retry: 2 }, f)",
      'const retry = { count: 1 }',
      '"test": "vitest run --retry 1"',
      'retry: process.env.CI ? 2 : 0',
      "test('x', { retry }, f)",
    ],
  },
  {
    what: 'uses a fixed port of this machine',
    isBrokenBy: matching(
      /\b(?:listen|connect)\(\s*(?:\{[^}]*\bport:\s*)?[1-9]|\bEAAS_PORT: '[1-9]|\b(?:fetch|connect|get|request)\([^)]*(?:127\.0\.0\.1|localhost|\[::1\]):[1-9]/,
    ),
    planted: [
      'server.listen(8080)',
      "server.listen({ host: 'x', port: 9000 })",
      "connect({ port: 5432, host: 'localhost' })",
      "serve({ EAAS_PORT: '8080' })",
      "fetch('http://127.0.0.1:8080/readyz')",
    ],
    except: ['packages/cli/src/config.test.ts', 'packages/server/src/plugins/key-hosts.test.ts'],
  },
  {
    what: 'has a time limit of its own, or waits for real seconds',
    isBrokenBy: matching(/^\s*\}, \d{1,3}_\d{3}\);$|\btimeout: \d{1,2}_\d{3}\b|\bsleep\(\d+_\d{3}/m),
    planted: ['test(x, () => {\n}, 10_000);', 'expect.poll(f, { timeout: 30_000 })', 'await sleep(1_100)'],
  },
  {
    what: 'mocks the modules of an import, which another file of the worker may have loaded before',
    isBrokenBy: matching(/\bvi\.mock\(/),
    planted: ["vi.mock('jose', f)"],
  },
  {
    what: 'asserts how long something took',
    isBrokenBy: assertsDuration,
    planted: [
      'expect(performance.now() - begun).toBeLessThan(50)',
      'expect(Date.now() - begun).toBeGreaterThan(50)',
      'const took = performance.now() - begun;\nexpect(took).toBeLessThan(50)',
    ],
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

test.each(rules)('a planted test that $what is found', ({ isBrokenBy, planted }) => {
  expect(planted.filter((text) => !isBrokenBy(text))).toEqual([]);
});

import { expect, test } from 'vitest';
import { chooseEarlier, type Git } from './earlier.ts';
import { verdictOf } from './verdicts.ts';

/** A repository that knows these answers. */
const repository =
  (answers: Readonly<Record<string, string>>): Git =>
  (...args) =>
    answers[args.join(' ')];
const parsed = (name: string) => `rev-parse --verify --quiet ${name}^{commit}`;
const onMain = { [parsed('HEAD')]: 'head', [parsed('HEAD~1')]: 'parent', 'merge-base HEAD main': 'head' };
const chosen = (given: string, answers: Readonly<Record<string, string>>) =>
  chooseEarlier(given, repository(answers), (path) => path === '../earlier/package.json');

test('the earlier code is the commit or the checkout that BENCH_EARLIER names', () => {
  expect(chosen('HEAD~5', { ...onMain, [parsed('HEAD~5')]: 'fifth' })).toMatchObject({ commit: 'fifth' });
  expect(chosen('../earlier', onMain)).toMatchObject({ directory: '../earlier' });
  expect(() => chosen('../later', onMain)).toThrow(
    'BENCH_EARLIER must be a commit, or the directory of a checkout (got "../later").',
  );
});

test('without BENCH_EARLIER, a branch is compared with the commit where it left main', () => {
  const onBranch = { ...onMain, 'merge-base HEAD main': 'fork', 'status --porcelain': ' M README.md' };
  expect(chosen('', onBranch)).toEqual({ commit: 'fork', reason: 'where this branch left main' });
  expect(chosen('', { ...onBranch, 'merge-base HEAD origin/main': 'pushed' })).toEqual({
    commit: 'pushed',
    reason: 'where this branch left origin/main',
  });
});

test('without BENCH_EARLIER, main is compared with HEAD if the working tree has changes, or else with HEAD~1', () => {
  expect(chosen('', { ...onMain, 'status --porcelain': ' M README.md' })).toMatchObject({ commit: 'head' });
  expect(chosen('', { ...onMain, 'status --porcelain': '' })).toMatchObject({ commit: 'parent' });
});

/** Rounds whose ratios spread evenly from `from` to `to`. */
const rounds = (count: number, from: number, to: number) =>
  Array.from({ length: count }, (_, at) => ({
    ours: 100 * (from + ((to - from) * at) / (count - 1)),
    reference: 100,
  }));

test('a row is better or worse if nearly all of its rounds agree', () => {
  expect(verdictOf('wrap', rounds(25, 0.8, 1.01))).toMatchObject({ ratio: 0.905, verdict: 'better' });
  expect(verdictOf('wrap', rounds(25, 0.99, 1.2))).toMatchObject({ ratio: 1.095, verdict: 'worse' });
  expect(verdictOf('wrap', rounds(25, 0.8, 1.1)).verdict).toBe('');
});

test('a difference of 2 %, or of fewer than 11 rounds, is no verdict', () => {
  expect(verdictOf('wrap', rounds(50, 1.015, 1.02)).verdict).toBe('');
  expect(verdictOf('wrap', rounds(50, 1.03, 1.04)).verdict).toBe('worse');
  expect(verdictOf('wrap', rounds(10, 2, 3)).verdict).toBe('');
  expect(verdictOf('wrap', rounds(11, 2, 3)).verdict).toBe('worse');
});

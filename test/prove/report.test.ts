import { expect, test } from 'vitest';
import { type Outcome, verdictOf } from './report.ts';
import { Findings } from './trial.ts';

const outcomeOf = (findings: Findings, unavailable?: string): Outcome => ({
  name: 'part:trial',
  about: 'what it does',
  seconds: 1.4,
  findings,
  ...(unavailable !== undefined && { unavailable }),
});

test('a trial passes if it has checks, which all pass', () => {
  const findings = new Findings();
  expect(verdictOf(outcomeOf(findings))).toBe('fails');
  findings.check('nothing is lost', true);
  expect(verdictOf(outcomeOf(findings))).toBe('holds');
  findings.check('nobody waits', false, '9 s');
  expect(verdictOf(outcomeOf(findings))).toBe('fails');
});

test('a check that failed once stays failed in the report', () => {
  const findings = new Findings();
  const check = (found: string) => findings.check('nothing is lost', found === '', found);
  for (const found of ['', 'first', '', 'second', 'second']) check(found);
  expect(findings.checks).toEqual([{ invariant: 'nothing is lost', holds: false, found: 'first; second' }]);
});

test('a trial runs its clean-up functions in reverse order', async () => {
  const findings = new Findings();
  const order: string[] = [];
  findings.defer(() => order.push('first'));
  findings.defer(() => {
    throw new Error('it is stuck');
  });
  findings.defer(() => order.push('last'));
  await findings.close();
  expect(order).toEqual(['last', 'first']);
  expect(findings.checks).toMatchObject([{ holds: false, found: 'Error: it is stuck' }]);
});

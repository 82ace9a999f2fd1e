import { expect, test } from 'vitest';
import {
  checksOf,
  describeOutcome,
  neverSeenToFail,
  type Outcome,
  summaryOf,
  tableOf,
  verdictOf,
} from './report.ts';
import { Findings } from './trial.ts';

const outcomeOf = (findings: Findings, unavailable?: string): Outcome => ({
  name: 'part:trial',
  about: 'what it does',
  seconds: 1.4,
  findings,
  ...(unavailable !== undefined && { unavailable }),
});

test('a trial passes if its checks all pass', () => {
  const findings = new Findings();
  findings.check('nothing is lost', true);
  expect(verdictOf(outcomeOf(findings))).toBe('holds');
  findings.check('nobody waits', false, '9 s');
  expect(verdictOf(outcomeOf(findings))).toBe('fails');
});

test('a trial without a check fails, because it has proved nothing', () => {
  expect(verdictOf(outcomeOf(new Findings()))).toBe('fails');
});

test('a check that no mutation makes fail is named', () => {
  const findings = new Findings();
  findings.check('nothing is lost', true);
  findings.check('nobody waits', true);
  const mutation = { name: 'loses', changes: [], fails: { 'part:trial': ['nothing is lost'] } };
  expect(neverSeenToFail([outcomeOf(findings)], [mutation])).toEqual(['nobody waits']);
});

test('a check that failed once stays failed in the report', () => {
  const findings = new Findings();
  for (const [holds, found] of [
    [true, ''],
    [false, 'first'],
    [true, ''],
    [false, 'second'],
    [false, 'second'],
  ] as const) {
    findings.check('nothing is lost', holds, found);
  }
  expect(findings.checks).toEqual([{ invariant: 'nothing is lost', holds: false, found: 'first; second' }]);
});

test('a trial report lists the attempts, responses, lost entries and checks', () => {
  const findings = new Findings();
  findings.try('server killed', 2);
  findings.answer({ '200': 1_200, '503 unavailable': 3 });
  findings.lose(0);
  findings.check('nothing is lost', false, '3 entries');
  expect(describeOutcome(outcomeOf(findings)).split('\n')).toEqual([
    'part:trial: fails (1 s)',
    '  tried     2 × server killed',
    '  answered  1,200 × 200, 3 × 503 unavailable',
    '  lost      0',
    '  FAILS     nothing is lost (3 entries)',
  ]);
});

test('the report has a row for every trial, even for skipped trials', () => {
  const table = tableOf([outcomeOf(new Findings(), 'pgbouncer is not installed')]);
  expect(table.split('\n').at(-1)).toBe(
    '| `part:trial` | what it does |  |  |  |  | pgbouncer is not installed |',
  );
});

test('a check that several trials make has one row in the report', () => {
  const [good, bad] = [new Findings(), new Findings()];
  good.check('nothing is lost', true);
  bad.check('nothing is lost', false);
  const table = checksOf([outcomeOf(good), { ...outcomeOf(bad), name: 'part:other' }]);
  expect(table.split('\n').slice(2)).toEqual([
    '| nothing is lost | `part:trial`, `part:other` (**fails**) |',
  ]);
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

test('the summary shows the sums of responses and lost entries, and the worst measured values', () => {
  const [good, bad] = [new Findings(), new Findings()];
  good.answer({ '200': 1_000, '503': 20 });
  good.lose(0);
  good.figure('most memory', '270 MiB');
  good.figure('p99 under the flood', '12.5 ms');
  good.check('nothing is lost', true);
  bad.answer({ '200': 5 });
  bad.lose(2);
  bad.figure('most memory', '250 MiB');
  bad.figure('p99 under the flood', '40.0 ms');
  bad.check('nothing is lost', false);
  const outcomes = [outcomeOf(good), outcomeOf(bad), outcomeOf(new Findings(), 'pgbouncer is not installed')];
  const summary = summaryOf(outcomes, { day: '2026-01-02', machine: '2 cores' });
  expect(summary).toContain('ran 3 trials on 2026-01-02 (2 cores): 1 failed, 1 not available.');
  expect(summary).toContain('sent 1,025 responses');
  expect(summary).toContain('After successful responses, 2 audit entries or keys were missing');
  expect(summary).toContain('was 12.5 to 40 ms');
  expect(summary).toContain('used 270 MiB');
});

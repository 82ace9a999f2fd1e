import type { Check, Findings } from './trial.ts';

export interface Outcome {
  readonly name: string;
  readonly about: string;
  readonly seconds: number;
  readonly findings: Findings;
  readonly unavailable?: string;
}

const whole = (value: number): string => value.toLocaleString('en');

export const failures = ({ findings }: Outcome): Check[] => findings.checks.filter(({ holds }) => !holds);

export function verdictOf(outcome: Outcome): 'holds' | 'fails' | 'not available' {
  if (outcome.unavailable !== undefined) return 'not available';
  return failures(outcome).length > 0 || outcome.findings.checks.length === 0 ? 'fails' : 'holds';
}

export function describeOutcome(outcome: Outcome): string {
  const { name, seconds, findings, unavailable } = outcome;
  const line = (label: string, text: string): string[] =>
    text === '' ? [] : [`  ${label.padEnd(9)} ${text}`];
  return [
    `${name}: ${verdictOf(outcome)} (${Math.round(seconds)} s)`,
    ...line('why', unavailable ?? ''),
    ...line('tried', list(findings.tried)),
    ...line('answered', list(findings.answered)),
    ...line('lost', findings.lost === undefined ? '' : String(findings.lost)),
    ...line('figures', Array.from(findings.figures, ([label, value]) => `${label} ${value}`).join(', ')),
    ...findings.checks.map(({ invariant, holds, found }) =>
      holds
        ? `  holds     ${invariant}`
        : `  FAILS     ${invariant}${found === '' ? '' : ` (${found.slice(0, 400)})`}`,
    ),
  ].join('\n');
}

function list(counts: ReadonlyMap<string, number>): string {
  return Array.from(counts, ([what, count]) => `${whole(count)} × ${what}`).join(', ');
}

import type { Mutation } from './mutations.ts';
import type { Check, Findings } from './trial.ts';

export interface Outcome {
  readonly name: string;
  readonly about: string;
  readonly seconds: number;
  readonly findings: Findings;
  readonly unavailable?: string;
}

const sum = (counts: ReadonlyMap<string, number>): number =>
  Array.from(counts.values()).reduce((total, count) => total + count, 0);

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

export function tableOf(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map((outcome) => {
    const { findings } = outcome;
    return [
      `\`${outcome.name}\``,
      outcome.about,
      list(findings.tried),
      findings.answered.size === 0 ? '' : whole(sum(findings.answered)),
      findings.lost === undefined ? '' : String(findings.lost),
      Array.from(findings.figures, ([label, value]) => `${label} ${value}`).join('; '),
      outcome.unavailable ?? verdictOf(outcome),
    ];
  });
  const head = ['trial', 'what it does', 'tried', 'answers', 'lost', 'figures', 'verdict'];
  return markdownTable(head, rows);
}

export function checksOf(outcomes: readonly Outcome[]): string {
  const trials = new Map<string, string[]>();
  for (const { name, findings } of outcomes) {
    for (const { invariant, holds } of findings.checks) {
      const trial = `\`${name}\`${holds ? '' : ' (**fails**)'}`;
      trials.set(invariant, [...(trials.get(invariant) ?? []), trial]);
    }
  }
  return markdownTable(
    ['check', 'trials'],
    Array.from(trials, ([invariant, names]) => [invariant, names.join(', ')]),
  );
}

/** The checks that no mutation makes fail, so nobody has seen that they can. */
export function neverSeenToFail(outcomes: readonly Outcome[], mutations: readonly Mutation[]): string[] {
  const broken = new Set(mutations.flatMap(({ fails }) => Object.values(fails).flat()));
  const invariants = outcomes.flatMap(({ findings }) => findings.checks.map(({ invariant }) => invariant));
  return [...new Set(invariants)].filter((invariant) => !broken.has(invariant));
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export function summaryOf(
  outcomes: readonly Outcome[],
  { day, machine }: { day: string; machine: string },
): string {
  const all = outcomes.map(({ findings }) => findings);
  const failed = outcomes.filter((outcome) => verdictOf(outcome) === 'fails').length;
  const missing = outcomes.filter((outcome) => verdictOf(outcome) === 'not available').length;
  const answers = all.reduce((total, { answered }) => total + sum(answered), 0);
  const lost = all.reduce((total, findings) => total + (findings.lost ?? 0), 0);
  const memory = Math.max(...figures(all, 'most memory'));
  const p99 = figures(all, 'p99 under the flood');
  return [
    `\`npm run prove\` ran ${outcomes.length} trials on ${day} (${machine}): ${failed} failed, ${missing} not available.`,
    'The trials killed servers, connections and databases, set wrong clocks and restored backups.',
    `The servers sent ${whole(answers)} responses. After successful responses, ${whole(lost)} audit entries or keys were missing.`,
    'While one tenant flooded a server with requests, the 99th percentile of the response times of another tenant was',
    `${Math.min(...p99)} to ${Math.max(...p99)} ms. The largest server process used ${memory} MiB of memory.`,
  ].join(' ');
}

function figures(all: readonly Findings[], name: string): number[] {
  return all
    .flatMap((findings) => Number.parseFloat(findings.figures.get(name) ?? ''))
    .filter(Number.isFinite);
}

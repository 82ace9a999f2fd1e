import type { Round } from './compare.ts';
import { median } from '@eaas/test-kit/statistics';

export interface Verdict {
  readonly name: string;
  readonly now: number;
  readonly earlier: number;
  readonly ratio: number;
  readonly noise: readonly [low: number, high: number];
  readonly verdict: 'better' | 'worse' | '';
}

/** Two processes of the same build can differ by this much, because each compiles its code in its own way. */
const betweenProcesses = 0.02;

/**
 * Less is better. The noise is the range that has the true median of the ratios in all but one of a thousand rows: all
 * rounds but the lowest, and as many of the highest. Fewer than 11 rounds have no such range.
 */
export function verdictOf(name: string, rounds: readonly Round[]): Verdict {
  const ratios = rounds.map(({ ours, reference }) => ours / reference).sort((a, b) => a - b);
  const left = Math.floor(ratios.length / 2 - 1.65 * Math.sqrt(ratios.length));
  const [low = 1, high = 1] = [ratios.at(Math.max(0, left)), ratios.at(-1 - Math.max(0, left))];
  const ratio = median(ratios);
  const isClear = left >= 0 && Math.abs(ratio - 1) > betweenProcesses;
  return {
    name,
    now: median(rounds.map(({ ours }) => ours)),
    earlier: median(rounds.map(({ reference }) => reference)),
    ratio,
    noise: [low, high],
    verdict: isClear && high < 1 ? 'better' : isClear && low > 1 ? 'worse' : '',
  };
}

export function tableOfVerdicts(verdicts: readonly Verdict[]): string[] {
  const line = ([name = '', ...cells]: readonly string[]): string =>
    (name.padEnd(38) + cells.map((cell) => cell.padStart(12)).join('')).trimEnd();
  return [
    line(['', 'now, µs', 'earlier, µs', 'now/earlier', 'noise']),
    ...verdicts.map(({ name, now, earlier, ratio, noise, verdict }) => {
      const range = noise.map((end) => end.toFixed(2)).join('–');
      return `${line([name, now.toFixed(1), earlier.toFixed(1), ratio.toFixed(3), range])}  ${verdict}`.trimEnd();
    }),
  ];
}

export function summaryOf(verdicts: readonly Verdict[]): string {
  const names = (wanted: Verdict['verdict']): string =>
    verdicts
      .filter(({ verdict }) => verdict === wanted)
      .map(({ name }) => name)
      .join('; ') || 'nothing';
  return `Outside the noise: better: ${names('better')}. Worse: ${names('worse')}.`;
}

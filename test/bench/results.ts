import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Comparison, Note, Result } from './compare.ts';
import { type Figures, tableOf, tableOfFigures } from './figures.ts';
import { describeLoad, type Load } from './machine-load.ts';

export interface Row {
  readonly ours: string;
  readonly reference: string;
  readonly result: Result;
  readonly verdict: string;
  readonly note?: Note;
}

export interface Report {
  readonly name: string;
  readonly about: string;
  readonly day: string;
  readonly machine: string;
  readonly load: Load;
  readonly rows: readonly Row[];
  readonly figures?: readonly Figures[];
}

const folder = fileURLToPath(new URL('results/', import.meta.url));

export function machineName(): string {
  const cores = cpus();
  return `Node ${process.versions.node}, ${cores.length} × ${cores[0]?.model ?? 'unknown processor'}`;
}

export function keepReport(report: Report): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}${report.name}.json`, `${JSON.stringify(report, undefined, 2)}\n`);
}

export function readReports(): Report[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => JSON.parse(readFileSync(folder + name, 'utf8')) as Report);
}

export function rowOf(comparison: Comparison, result: Result): Row {
  const { ours, reference, note } = comparison;
  const verdict = verdictOf(comparison, result);
  return { ours: ours.name, reference: reference.name, result, verdict, ...(note && { note: note() }) };
}

function verdictOf({ target, floor = 0 }: Comparison, { ours, ratio }: Result): string {
  if (target === undefined) return '–';
  const held = ratio.median >= target && ours >= floor;
  const least = floor > 0 ? `, ≥ ${floor.toLocaleString('en')}/s` : '';
  return `≥ ${target.toFixed(2)}${least} ${held ? 'held' : 'missed'}`;
}

export function cellsOf({ ours, reference, result, verdict }: Row): string[] {
  const whole = (value: number): string => Math.round(value).toLocaleString('en');
  const { median, min, max } = result.ratio;
  const ratio = [median.toFixed(2), `${min.toFixed(2)}–${max.toFixed(2)}`];
  return [ours, whole(result.ours), reference, whole(result.reference), ...ratio, verdict];
}

export const columns = ['ours', 'ops/s', 'reference', 'ops/s', 'ratio', 'min–max', 'target'];

export function pageOf(reports: readonly Report[]): string {
  return [
    '# Benchmarks',
    '',
    'This page shows results of `npm run bench`. Each benchmark compares Eaas with a reference, in several rounds. The',
    'ratio is the speed of Eaas divided by the speed of the reference, as the median of all rounds. Compare only ratios,',
    'because the speeds depend on the machine.',
    '[What limits the speed](design/limits-of-speed.md) explains the missed targets.',
    '',
    ...reports.flatMap(sectionOf),
    '## Runs',
    '',
    ...runsOf(reports),
    '',
  ].join('\n');
}

export function runsOf(reports: readonly Report[]): string[] {
  return tableOf(
    ['benchmark', 'day', 'machine', 'load'],
    reports.map(({ name, day, machine, load }) => [name, day, machine, describeLoad(load)]),
  );
}

function sectionOf({ name, about, rows, figures = [] }: Report): string[] {
  return [
    `## ${name}`,
    '',
    `Measures ${about}.`,
    '',
    ...(rows.length > 0 ? [...tableOf(columns, rows.map(cellsOf)), ''] : []),
    ...notesOf(rows),
    ...figures.flatMap((table) => [...tableOfFigures(table), '']),
  ];
}

function notesOf(rows: readonly Row[]): string[] {
  const noted = rows.flatMap(({ ours, note }) => (note ? [{ ours, note }] : []));
  const [first] = noted;
  if (!first) return [];
  const heads = Object.keys(first.note);
  return [
    ...tableOf(
      ['', ...heads],
      noted.map(({ ours, note }) => [ours].concat(heads.map((head) => note[head] ?? ''))),
    ),
    '',
  ];
}

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Comparison, Result } from './compare.ts';
import { type Figures, tableOf, tableOfFigures } from './figures.ts';
import { describeLoad, type Load } from './machine-load.ts';

export interface Row {
  readonly ours: string;
  readonly reference: string;
  readonly result: Result;
  readonly verdict: string;
  readonly note?: string;
}

/** The result of one benchmark, as JSON. */
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
    'This page has the last kept results of `npm run bench`. Each row compares Eaas with a reference in the same run, and',
    'the ratio is the median of interleaved rounds. Compare only ratios: the speeds depend on the machine.',
    '`npm run bench -- --write` writes this page from the JSON files that the benchmarks wrote.',
    '',
    ...reports.flatMap(sectionOf),
  ].join('\n');
}

function sectionOf({ name, about, day, machine, load, rows, figures = [] }: Report): string[] {
  return [
    `## ${name}`,
    '',
    `${about}. Measured on ${day} (${machine}; ${describeLoad(load)}).`,
    '',
    ...(rows.length > 0 ? [...tableOf(columns, rows.map(cellsOf)), ''] : []),
    ...rows.flatMap(({ note }) => (note === undefined ? [] : [note, ''])),
    ...figures.flatMap((table) => [...tableOfFigures(table), '']),
  ];
}

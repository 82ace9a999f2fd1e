import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Comparison, Result } from './compare.ts';
import { describeLoad, type Load } from './machine-load.ts';

export interface Row {
  readonly ours: string;
  readonly reference: string;
  readonly result: Result;
  readonly verdict: string;
}

export interface Report {
  readonly name: string;
  readonly about: string;
  readonly day: string;
  readonly machine: string;
  readonly load: Load;
  readonly rows: readonly Row[];
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
  const { ours, reference } = comparison;
  return { ours, reference, result, verdict: verdictOf(comparison, result) };
}

function verdictOf({ target }: Comparison, { ratio }: Result): string {
  if (target === undefined) return '–';
  return `≥ ${target.toFixed(2)} ${ratio.median >= target ? 'held' : 'missed'}`;
}

export function cellsOf({ ours, reference, result, verdict }: Row): string[] {
  const whole = (value: number): string => Math.round(value).toLocaleString('en');
  const { median, min, max } = result.ratio;
  const ratio = [median.toFixed(2), `${min.toFixed(2)}–${max.toFixed(2)}`];
  return [ours, whole(result.ours), reference, whole(result.reference), ...ratio, verdict];
}

export const columns = ['ours', 'ops/s', 'reference', 'ops/s', 'ratio', 'min–max', 'target'];

/** The results on the page with the benchmarks: all but `growth`, which compares Eaas only with itself. */
export function resultsOf(reports: readonly Report[]): string[] {
  const compared = reports.filter(({ name }) => name !== 'growth');
  return [...compared.flatMap(sectionOf), '### Runs', '', ...runsOf(compared)];
}

function runsOf(reports: readonly Report[]): string[] {
  const names = new Map<string, string[]>();
  for (const { name, day, machine, load } of reports) {
    const run = `${day}, ${machine}${load.isBusy ? `, ${describeLoad(load)}` : ''}`;
    names.set(run, [...(names.get(run) ?? []), name]);
  }
  return Array.from(names, ([run, benchmarks]) => `- ${run}: ${benchmarks.join(', ')}`);
}

/** The speed of the reference is left out: the ratio says it. */
const isOnPage = (_: string, column: number): boolean => column !== 3;

function sectionOf({ name, about, day, rows }: Report): string[] {
  return [
    `### ${name}`,
    '',
    `${about.charAt(0).toUpperCase()}${about.slice(1)}. Measured on ${day}.`,
    '',
    ...tableOf(
      columns.filter(isOnPage),
      rows.map((row) => cellsOf(row).filter(isOnPage)),
    ),
    '',
  ];
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

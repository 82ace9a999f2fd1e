import { once } from 'node:events';
import { benchmark as budget } from './budget.bench.ts';
import type { Benchmark, Defer, Report } from './compare.ts';
import { describeLoad, watchMachine } from './machine-load.ts';
import { benchmark as growth } from './growth.bench.ts';
import { benchmark as latency } from './latency.bench.ts';
import { benchmark as lists } from './lists.bench.ts';
import { benchmark as regress } from './regress.bench.ts';
import { cellsOf, columns, keepReport, machineName, type Row, rowOf } from './results.ts';
import { benchmark as tenants } from './tenants.bench.ts';
import { writePage } from './write-page.ts';

const benchmarks: readonly (Benchmark | Report)[] = [tenants, lists, latency, growth, regress, budget];

const interrupted = Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)));
const words = process.argv.slice(2);
const options = new Set(['--list', '--help', '--write']);
const names = words.filter((word) => !options.has(word));
const unknown = names.filter((name) => !benchmarks.some((known) => known.name === name));
if (words.includes('--list') || words.includes('--help') || unknown.length > 0) {
  for (const { name, about } of benchmarks) console.log(`${name}: ${about}`);
  process.exitCode = unknown.length > 0 ? 1 : 0;
} else if (words.includes('--write')) await writePage(benchmarks.map(({ name }) => name));
else {
  console.log(machineName());
  const chosen = benchmarks.filter(({ name }) => names.length === 0 || names.includes(name));
  let missed = 0;
  for (const benchmark of chosen) missed += await show(benchmark);
  process.exitCode = missed > 0 ? 1 : 0;
}

async function show(benchmark: Benchmark | Report): Promise<number> {
  console.log(`\n${benchmark.name}: ${benchmark.about}`);
  const deferred: (() => unknown)[] = [];
  const defer: Defer = (close) => void deferred.push(close);
  const closeAll = async (): Promise<void> => {
    for (let close = deferred.pop(); close; close = deferred.pop()) await close();
  };
  const endWatch = await watchMachine();
  try {
    const taking = 'report' in benchmark ? print(benchmark.report(defer)) : showRows(benchmark, defer);
    const rows = await Promise.race([taking, interrupted.then(() => undefined)]);
    if (!rows) {
      await closeAll();
      process.exit(130);
    }
    const load = await endWatch();
    console.log(describeLoad(load));
    const { name, about } = benchmark;
    const day = new Date().toISOString().slice(0, 10);
    if (rows.length > 0) keepReport({ name, about, day, machine: machineName(), load, rows });
    return rows.filter(({ verdict }) => verdict.endsWith('missed')).length;
  } finally {
    await closeAll();
  }
}

async function showRows({ comparisons }: Benchmark, defer: Defer): Promise<Row[]> {
  console.log(line(columns));
  const rows: Row[] = [];
  for (const comparison of await comparisons(defer)) {
    const row = rowOf(comparison, await comparison.measure());
    rows.push(row);
    console.log(line(cellsOf(row)));
  }
  return rows;
}

async function print(lines: AsyncIterable<string>): Promise<Row[]> {
  for await (const text of lines) console.log(text);
  return [];
}

function line(values: readonly string[]): string {
  const widths = [25, 10, 24, 10, 7, 11, 13];
  return values
    .map((value, column) => value.padEnd(widths[column] ?? 0))
    .join('  ')
    .trimEnd();
}

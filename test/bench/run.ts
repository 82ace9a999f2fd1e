import { benchmark as batches } from './batches.bench.ts';
import { benchmark as blind } from './blind.bench.ts';
import { type Benchmark, compare } from './compare.ts';
import { benchmark as chromium } from './chromium.bench.ts';
import { benchmark as drizzle } from './drizzle.bench.ts';
import { benchmark as fields } from './fields.bench.ts';
import { benchmark as latency } from './latency.bench.ts';
import { describeLoad, watchMachine } from './machine-load.ts';
import { benchmark as intake } from './intake.bench.ts';
import { benchmark as growth } from './growth.bench.ts';
import { benchmark as many } from './many.bench.ts';
import { benchmark as peers } from './peers.bench.ts';
import { benchmark as prisma } from './prisma.bench.ts';
import { cellsOf, columns, keepReport, machineName, type Row, rowOf } from './results.ts';
import { benchmark as seal } from './seal.bench.ts';
import { benchmark as streams } from './streams.bench.ts';
import { benchmark as verify } from './verify.bench.ts';
import { benchmark as workers } from './workers.bench.ts';
import { benchmark as wraps } from './wraps.bench.ts';
import { writePage } from './write-page.ts';

const benchmarks: readonly Benchmark[] = [
  seal,
  fields,
  many,
  peers,
  drizzle,
  prisma,
  streams,
  chromium,
  wraps,
  workers,
  latency,
  batches,
  verify,
  intake,
  growth,
  blind,
];

const words = process.argv.slice(2);
const names = words.filter((word) => !word.startsWith('--'));
const unknown = names.filter((name) => !benchmarks.some((known) => known.name === name));
if (words.includes('--list') || unknown.length > 0) {
  for (const { name, about } of benchmarks) console.log(`${name}: ${about}`);
  process.exitCode = unknown.length > 0 ? 1 : 0;
} else if (words.includes('--write')) await writePage();
else {
  console.log(machineName());
  const chosen = benchmarks.filter(({ name }) => names.length === 0 || names.includes(name));
  let missed = 0;
  for (const benchmark of chosen) missed += await show(benchmark);
  process.exitCode = missed > 0 ? 1 : 0;
}

async function show({ name, about, comparisons }: Benchmark): Promise<number> {
  console.log(`\n${name}: ${about}`);
  console.log(line(columns));
  const deferred: (() => unknown)[] = [];
  const rows: Row[] = [];
  const endWatch = await watchMachine();
  try {
    for (const comparison of await comparisons((close) => deferred.push(close))) {
      const row = rowOf(comparison, await compare(comparison));
      rows.push(row);
      console.log(line(cellsOf(row)));
      if (row.note !== undefined) console.log(`  ${row.note}`);
    }
    const load = await endWatch();
    console.log(describeLoad(load));
    const day = new Date().toISOString().slice(0, 10);
    if (rows.length > 0) keepReport({ name, about, day, machine: machineName(), load, rows });
  } finally {
    for (const close of deferred.toReversed()) await close();
  }
  return rows.filter(({ verdict }) => verdict.endsWith('missed')).length;
}

function line(values: readonly string[]): string {
  const widths = [25, 10, 24, 10, 7, 11, 13];
  return values
    .map((value, column) => value.padEnd(widths[column] ?? 0))
    .join('  ')
    .trimEnd();
}

import { cpus } from 'node:os';
import { benchmark as batches } from './batches.bench.ts';
import { type Benchmark, compare, type Comparison, type Result } from './compare.ts';
import { benchmark as chromium } from './chromium.bench.ts';
import { benchmark as drizzle } from './drizzle.bench.ts';
import { benchmark as fields } from './fields.bench.ts';
import { benchmark as many } from './many.bench.ts';
import { benchmark as prisma } from './prisma.bench.ts';
import { benchmark as seal } from './seal.bench.ts';
import { benchmark as streams } from './streams.bench.ts';
import { benchmark as verify } from './verify.bench.ts';
import { benchmark as workers } from './workers.bench.ts';
import { benchmark as wraps } from './wraps.bench.ts';

const benchmarks: readonly Benchmark[] = [
  seal,
  fields,
  many,
  drizzle,
  prisma,
  streams,
  chromium,
  wraps,
  workers,
  batches,
  verify,
];

const names = process.argv.slice(2);
const unknown = names.filter((name) => name !== '--list' && !benchmarks.some((known) => known.name === name));
if (names.includes('--list') || unknown.length > 0) {
  for (const { name, about } of benchmarks) console.log(`${name}: ${about}`);
  process.exitCode = unknown.length > 0 ? 1 : 0;
} else {
  const cores = cpus();
  console.log(`Node ${process.versions.node}, ${cores.length} × ${cores[0]?.model ?? 'unknown processor'}`);
  const chosen = benchmarks.filter(({ name }) => names.length === 0 || names.includes(name));
  let missed = 0;
  for (const benchmark of chosen) missed += await show(benchmark);
  process.exitCode = missed > 0 ? 1 : 0;
}

async function show({ name, about, comparisons }: Benchmark): Promise<number> {
  console.log(`\n${name}: ${about}`);
  console.log(row(['ours', 'ops/s', 'reference', 'ops/s', 'ratio', 'min–max', 'target']));
  const deferred: (() => unknown)[] = [];
  let missed = 0;
  try {
    for (const comparison of await comparisons((close) => deferred.push(close))) {
      const result = await compare(comparison);
      const verdict = verdictOf(comparison, result);
      if (verdict.endsWith('missed')) missed++;
      console.log(row(cells(comparison, result, verdict)));
      if (comparison.note) console.log(`  ${comparison.note()}`);
    }
  } finally {
    for (const close of deferred.toReversed()) await close();
  }
  return missed;
}

function verdictOf({ target, floor = 0 }: Comparison, { ours, ratio }: Result): string {
  if (target === undefined) return '–';
  const held = ratio.median >= target && ours >= floor;
  const least = floor > 0 ? `, ≥ ${floor.toLocaleString('en')}/s` : '';
  return `≥ ${target.toFixed(2)}${least} ${held ? 'held' : 'missed'}`;
}

function cells({ ours, reference }: Comparison, result: Result, verdict: string): string[] {
  const whole = (value: number): string => Math.round(value).toLocaleString('en');
  const { median, min, max } = result.ratio;
  const ratio = [median.toFixed(2), `${min.toFixed(2)}–${max.toFixed(2)}`];
  return [ours.name, whole(result.ours), reference.name, whole(result.reference), ...ratio, verdict];
}

function row(values: readonly string[]): string {
  const widths = [25, 10, 24, 10, 7, 11, 13];
  return values
    .map((value, column) => value.padEnd(widths[column] ?? 0))
    .join('  ')
    .trimEnd();
}

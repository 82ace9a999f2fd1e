import { join } from 'node:path';
import { chromium } from '@eaas/test-kit/runtimes/chromium';
import { programs } from '@eaas/test-kit/runtimes/programs';
import type { Runtime, Started } from '@eaas/test-kit/runtimes/runtime';
import { workerd } from '@eaas/test-kit/runtimes/workerd';
import { installPackages } from '@eaas/test-kit/installed-packages';
import { median } from '@eaas/test-kit/statistics';
import type { Rate, run, Task } from './engines-in.ts';

const sizes = [64, 1_024, 16_384, 16 * 1_024 * 1_024];
const ways = [
  { engine: 'noble', atOnce: 1 },
  { engine: 'node', atOnce: 1 },
  { engine: 'webcrypto', atOnce: 1 },
  { engine: 'webcrypto', atOnce: 64 },
];
const tasks: readonly Task[] = (['encrypt', 'decrypt'] as const).flatMap((way) =>
  sizes.flatMap((size) =>
    ways.filter(({ atOnce }) => atOnce * size < 1e9).map((by) => Object.assign({ way, size }, by)),
  ),
);

const app = await installPackages();
const names = process.argv.slice(2);
try {
  for (const runtime of [...programs, workerd(), workerd(['nodejs_compat']), chromium]) {
    if (names.length > 0 && !names.includes(runtime.name)) continue;
    if (runtime.available === false) console.log(`not available: ${runtime.name}`);
    else show(runtime, await measure(runtime));
  }
} finally {
  app.remove();
}

async function measure(runtime: Runtime): Promise<Rate[]> {
  const started = await runtime.start({ app, module: join(import.meta.dirname, 'engines-in.ts') });
  try {
    if (!runtime.name.startsWith('workerd')) return await (started.run({ tasks }) as ReturnType<typeof run>);
    const rates: Rate[] = [];
    for (const task of tasks) rates.push(...(await measureFromOutside(started, task)));
    return rates;
  } finally {
    await started.stop();
  }
}

/** Measures outside the Cloudflare worker, because the clock inside stops while the worker computes. */
async function measureFromOutside(started: Started, task: Task): Promise<Rate[]> {
  const spent = async (calls: number): Promise<number> => {
    const start = performance.now();
    const done = await (started.run({ tasks: [task], calls }) as ReturnType<typeof run>);
    return done.length > 0 ? performance.now() - start : Infinity;
  };
  let calls = 1;
  while ((await spent(calls)) < 400) calls *= 2;
  const rates: number[] = [];
  for (let round = 0; round < 5; round++) {
    const idle = await spent(0);
    rates.push((calls * task.atOnce * 1_000) / ((await spent(calls)) - idle));
  }
  return Number.isNaN(rates[0]) ? [] : [{ ...task, perSecond: median(rates) }];
}

function show({ name }: Runtime, rates: readonly Rate[]): void {
  console.log(`\n${name}`);
  for (const { engine, way, size, atOnce, perSecond } of rates) {
    const by = `${engine}${atOnce > 1 ? `, ${atOnce} at once` : ''}`;
    const [rate, unit] = size > 1e6 ? [(perSecond * size) / 1e6, ' MB/s'] : [perSecond, '/s'];
    const shown = Math.round(rate).toLocaleString('en') + unit;
    console.log(`  ${way} ${String(size).padStart(8)} B  ${by.padEnd(24)} ${shown}`);
  }
}

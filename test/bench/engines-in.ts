import { type Engine, nobleEngine } from '@eaas/protocol';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';

/** Values of a size, one after another or so many at once. */
export interface Task {
  readonly engine: string;
  readonly way: 'encrypt' | 'decrypt';
  readonly size: number;
  readonly atOnce: number;
}

/** What to do: each task in turn for so long and so many rounds, or, where no clock runs, one so many times. */
type Settings =
  | { readonly tasks: readonly Task[]; readonly milliseconds: number; readonly rounds: number }
  | { readonly task: Task; readonly count: number };

export type Rate = Task & { readonly perSecond: number };

/** Runs inside of a runtime. Answers operations a second, the median of the rounds. */
export async function run(settings: Settings, more: readonly Engine[]): Promise<Rate[]> {
  const engines = [nobleEngine, webCryptoEngine, ...more];
  if ('task' in settings) {
    const works = await prepare(settings.task, engines);
    await works?.(settings.count);
    return works ? [{ ...settings.task, perSecond: 0 }] : [];
  }
  const taken: { task: Task; works: Works; rates: number[] }[] = [];
  for (const task of settings.tasks) {
    const works = await prepare(task, engines);
    if (works) taken.push({ task, works, rates: [] });
  }
  for (let round = 0; round <= settings.rounds; round++) {
    for (const { works, rates } of taken) {
      const rate = await rateOf(works, settings.milliseconds);
      // The first round warms up.
      if (round > 0) rates.push(rate);
    }
  }
  return taken.map(({ task, rates }) => Object.assign({ perSecond: median(rates) }, task));
}

type Works = (count: number) => Promise<void>;

async function prepare(
  { engine: name, way, size, atOnce }: Task,
  engines: readonly Engine[],
): Promise<Works | undefined> {
  const engine = engines.find((known) => known.name === name);
  if (!engine) return undefined;
  const key = await engine.importKey(new Uint8Array(32).fill(7));
  const iv = new Uint8Array(12).fill(9);
  const aad = new Uint8Array(40).fill(3);
  const value = new Uint8Array(size).fill(5);
  const body = new Uint8Array(size + 16);
  await engine.encrypt(key, iv, aad, value, body);
  const once =
    way === 'encrypt'
      ? () => engine.encrypt(key, iv, aad, value, new Uint8Array(size + 16))
      : () => engine.decrypt(key, iv, aad, body);
  return async (count) => {
    for (let done = 0; done < count; done += atOnce) {
      if (atOnce > 1) {
        await Promise.all(Array.from({ length: atOnce }, async () => once()));
        continue;
      }
      const outcome = once();
      if (outcome instanceof Promise) await outcome;
    }
  };
}

async function rateOf(works: Works, milliseconds: number): Promise<number> {
  const start = performance.now();
  let [done, count, spent] = [0, 1, 0];
  while (spent < milliseconds) {
    await works(count);
    done += count;
    spent = performance.now() - start;
    // Looks at the clock about eight times.
    count = spent > 0 ? Math.max(1, Math.ceil((done / spent) * (milliseconds / 8))) : count * 2;
  }
  return (done * 1_000) / spent;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

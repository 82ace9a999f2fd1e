import { type Engine, nobleEngine } from '@eaas/protocol';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';
import { speed, warmUp } from './compare.ts';
import { median } from '@eaas/test-kit/statistics';

export interface Task {
  readonly engine: string;
  readonly way: 'encrypt' | 'decrypt';
  readonly size: number;
  readonly atOnce: number;
}

export type Rate = Task & { readonly perSecond: number };

export async function run(
  { tasks, calls }: { readonly tasks: readonly Task[]; readonly calls?: number },
  more: readonly Engine[],
): Promise<Rate[]> {
  const engines = [nobleEngine, webCryptoEngine, ...more];
  const rates: Rate[] = [];
  for (const task of tasks) {
    const engine = engines.find(({ name }) => name === task.engine);
    if (!engine) continue;
    const contender = { run: await workOf(engine, task), size: task.atOnce };
    const slice = calls ?? (await warmUp(contender, 200));
    const speeds: number[] = [];
    for (let round = 0; round < (calls === undefined ? 5 : 1); round++) {
      speeds.push(await speed(contender, slice));
    }
    rates.push({ ...task, perSecond: median(speeds) });
  }
  return rates;
}

async function workOf(engine: Engine, { way, size, atOnce }: Task): Promise<() => unknown> {
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
  return atOnce === 1 ? once : () => Promise.all(Array.from({ length: atOnce }, async () => once()));
}

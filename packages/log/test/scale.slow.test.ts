// What a moment of 100,000 tenants takes. The figures are printed, because no test asserts a speed.
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { addHeads, moveHeads } from '@eaas/test-kit/heads';
import { expect, test } from 'vitest';
import { logOf } from '../src/proofs.ts';
import { ownLog } from './own-log.ts';

const tenants = 100_000;

/**
 * The milliseconds that this thread has had a CPU. On a busy machine a pause is longer than what the thread does in it.
 */
function onCpu(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return Number.NaN; // not Linux
  }
}

/** Runs the work, and prints its CPU time, the memory that it adds, and the longest pause of the event loop. */
async function measured<T>(what: string, work: () => Promise<T>): Promise<T> {
  globalThis.gc?.();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const before = process.memoryUsage().rss;
  let most = before;
  let [last, longest] = [onCpu(), 0];
  const sampling = setInterval(() => {
    const now = onCpu();
    longest = Math.max(longest, now - last);
    last = now;
    most = Math.max(most, process.memoryUsage().rss);
  }, 5);
  const [cpu, begun] = [process.cpuUsage(), performance.now()];
  delay.enable();
  try {
    return await work();
  } finally {
    delay.disable();
    clearInterval(sampling);
    const { user, system } = process.cpuUsage(cpu);
    const figures = [
      `${((user + system) / 1e6).toFixed(2)} s of CPU`,
      `${((performance.now() - begun) / 1e3).toFixed(2)} s`,
      `${((most - before) / 2 ** 20).toFixed(0)} MB more`,
      `longest pause ${(delay.max / 1e6).toFixed(1)} ms, with ${longest.toFixed(1)} ms of CPU`,
    ];
    process.stderr.write(`${what}: ${figures.join(', ')}\n`);
  }
}

test('a moment of 100,000 tenants proves each of them, and an idle one writes nothing', async () => {
  const log = await ownLog();
  await addHeads(log.sql, log.world.roots, tenants);
  await log.sql`analyze eaas.audit_heads`;
  await measured('all heads moved', () => log.moment());
  const count = async () => (await log.sql`select from eaas.log_proofs`).length;
  expect(await count()).toBe(tenants);
  const moments = async () => (await log.sql`select from eaas.log_moments`).length;
  await measured('no head moved', () => log.moment());
  expect([await count(), await moments()]).toEqual([tenants, 1]);
  await moveHeads(log.sql, log.world.roots);
  await measured('one head of 256 moved', () => log.moment());
  expect(await moments()).toBe(2);
  await log.witnessed();
  const some = await log.sql<{ tenant_id: string }[]>`
    select tenant_id from eaas.audit_heads order by tenant_id limit 20`;
  const kept = logOf(log.service);
  const proofs = await measured('20 proofs', () =>
    Promise.all(
      some.map((row) => log.service.reads.transaction((tx) => kept.proof(tx, row.tenant_id, undefined))),
    ),
  );
  for (const [at, proof] of proofs.entries()) {
    expect((await log.verify(proof)).tenantId).toBe(some[at]?.tenant_id);
    const extra = /^extra (.*)$/m.exec(proof)?.[1] ?? '';
    const path = JSON.parse(Buffer.from(extra, 'base64').toString()) as { path: string[] };
    expect(path.path.length).toBeLessThan(64);
  }
  const lengths = proofs.map((proof) => Buffer.from(/^extra (.*)$/m.exec(proof)?.[1] ?? '', 'base64').length);
  process.stderr.write(`extra: ${Math.min(...lengths)} to ${Math.max(...lengths)} bytes\n`);
});

import { setTimeout as sleep } from 'node:timers/promises';
import { succeeded } from '@eaas/test-kit/faults/load';
import { recovers } from '../recovers.ts';
import { separate } from './moves.ts';
import type { Scene } from './scene.ts';

const away = 2_000;

export function workersKilled(rounds: number) {
  return async (scene: Scene): Promise<void> => {
    const { findings, database, bench } = scene;
    await separate(scene);
    let fewest = Infinity;
    for (let round = 0; round < rounds; round++) {
      for (const worker of database.workers) {
        await worker.kill();
        const killedAt = performance.now();
        await sleep(away);
        const now = performance.now();
        const served = bench.loaded.map(
          ({ load }) =>
            load.sent.filter((sent) => sent.sentAt > killedAt && sent.answeredAt < now && succeeded(sent))
              .length,
        );
        fewest = Math.min(fewest, Math.max(...served));
        await worker.start();
        findings.try('worker killed, started 2 s later');
        await recovers(findings, bench, 'worker away for 2 s');
      }
    }
    findings.figure('fewest responses to the tenant of the running worker while the other is away', fewest);
  };
}

export function coordinatorKilled(rounds: number) {
  return async ({ findings, database, bench }: Scene): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      await database.coordinator.kill();
      await sleep(round % 2 === 0 ? 0 : away);
      await database.coordinator.start();
      findings.try('coordinator killed and started');
      await recovers(findings, bench, 'coordinator killed and started');
    }
  };
}

export function serversKilled(rounds: number) {
  return async ({ findings, bench }: Scene): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      for (const nth of [0, 1]) {
        await bench.restart(nth);
        findings.try('server killed and started');
        await recovers(findings, bench, 'server killed');
      }
    }
  };
}

import { succeeded } from '@eaas/test-kit/faults/load';
import type { CitusCluster } from '../../machine/citus-cluster.ts';
import type { Findings } from '../../trial.ts';
import type { UnderLoad } from '../under-load.ts';

export interface Scene {
  readonly findings: Findings;
  readonly database: CitusCluster;
  readonly bench: UnderLoad<CitusCluster>;
}

export class Disturbance {
  #longest = 0;
  #refused = 0;

  async during({ bench }: Scene, work: () => Promise<unknown>): Promise<void> {
    const from = performance.now();
    await work();
    const until = performance.now();
    this.#longest = Math.max(this.#longest, bench.longestOutage(from, until));
    this.#refused += bench.between(from, until).filter((sent) => !succeeded(sent)).length;
  }

  report({ findings }: Scene): void {
    findings.figure('longest pause of a tenant', `${Math.round(this.#longest)} ms`);
    findings.figure('refused', this.#refused);
  }
}

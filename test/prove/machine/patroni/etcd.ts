import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Findings } from '../../trial.ts';
import { killDaemon, startDaemon } from '../daemon.ts';
import { until } from '../until.ts';
import type { Machine } from './files.ts';

export class Etcd {
  readonly #findings: Findings;
  readonly #machines: readonly Machine[];
  readonly #running = new Map<Machine, ChildProcess>();

  constructor(findings: Findings, machines: readonly Machine[]) {
    this.#findings = findings;
    this.#machines = machines;
  }

  async start(): Promise<void> {
    for (const machine of this.#machines.filter((each) => !this.#running.has(each))) {
      const file = await readFile(join(machine.home, 'etc/default/etcd'), 'utf8');
      const lines = file.trim().split('\n');
      const env = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
      this.#running.set(machine, await startDaemon(this.#findings, ['etcd'], env));
    }
    for (const machine of this.#machines) await until('etcd is healthy', 180, () => isHealthy(machine));
  }

  async kill(members: 'leader' | 'all'): Promise<void> {
    for (const [machine, child] of this.#running) {
      if (members === 'leader' && !(await leads(machine))) continue;
      await killDaemon(child);
      this.#running.delete(machine);
      if (members === 'leader') return;
    }
  }
}

async function isHealthy({ address }: Machine): Promise<boolean> {
  return fetch(`http://${address}:2379/health`, { signal: AbortSignal.timeout(1_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

interface Status {
  readonly header: { readonly member_id: string };
  readonly leader: string;
}

async function leads({ address }: Machine): Promise<boolean> {
  const options = { method: 'POST', body: '{}', signal: AbortSignal.timeout(2_000) };
  const response = await fetch(`http://${address}:2379/v3/maintenance/status`, options);
  const { header, leader } = (await response.json()) as Status;
  return header.member_id === leader;
}

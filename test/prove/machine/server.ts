import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { eaas, type Environment } from '@eaas/test-kit/program';
import { childrenOf, memoryOf } from '@eaas/test-kit/processes';
import { type Replica, startReplica } from '@eaas/test-kit/faults/place';
import type { Findings } from '../trial.ts';

const probe = new URL('../probe/probe.mjs', import.meta.url).href;

export interface ProbedServer extends Replica {
  stepClock(milliseconds: number): Promise<void>;
  /** Returns the CPU time of the longest turn of the event loop since the last call, in milliseconds. */
  longestSection(): Promise<number>;
  peakMemory(): Promise<number>;
}

// Source maps would increase the measured memory.
const program = eaas.filter((word) => word !== '--enable-source-maps');

export async function startProbed(findings: Findings, env: Environment): Promise<ProbedServer> {
  const directory = await findings.newDirectory();
  const probed = { ...env, NODE_OPTIONS: `--import=${probe}`, PROVE_DIRECTORY: directory };
  const replica = await startReplica(probed, program);
  findings.defer(replica.kill);
  const ask = async (command: object): Promise<Sections[]> => {
    const names = await readdir(directory);
    return Promise.all(names.map((name) => askProbe(join(directory, name), command)));
  };
  return {
    ...replica,
    async stepClock(milliseconds) {
      await ask({ name: 'clock', milliseconds });
    },
    async longestSection() {
      return Math.max(...(await ask({ name: 'sections' })).map(({ longest }) => longest));
    },
    async peakMemory() {
      const pids = [replica.pid, ...(await childrenOf(replica.pid))];
      return Math.max(...(await Promise.all(pids.map((pid) => memoryOf(pid, 'peak')))));
    },
  };
}

export async function startServer(findings: Findings, env: Environment): Promise<Replica> {
  const replica = await startReplica(env);
  findings.defer(replica.kill);
  return replica;
}

interface Sections {
  readonly longest: number;
}

async function askProbe(path: string, command: object): Promise<Sections> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(path, () => socket.write(JSON.stringify(command)));
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    socket.on('error', () => resolve({ longest: 0 }));
    socket.on('end', () => resolve(JSON.parse(answer) as Sections));
  });
}

export async function metric({ port }: { port: number }, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const values = Array.from(text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm')), ([, value]) =>
    Number(value),
  );
  if (values.length === 0) throw new Error(`/metrics must have the metric ${name}`);
  return values.reduce((sum, value) => sum + value, 0);
}

import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { eaas, type Environment } from '@eaas/test-kit/program';
import { childrenOf, memoryOf } from '@eaas/test-kit/processes';
import { type Replica, startReplica } from '@eaas/test-kit/faults/place';
import type { Findings } from '../trial.ts';

const probe = new URL('../probe/probe.mjs', import.meta.url).href;

export interface ProbedServer extends Replica {
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
  return {
    ...replica,
    async longestSection() {
      const names = await readdir(directory);
      return Math.max(...(await Promise.all(names.map((name) => longestOf(join(directory, name))))));
    },
    async peakMemory() {
      const pids = [replica.pid, ...(await childrenOf(replica.pid))];
      return Math.max(...(await Promise.all(pids.map((pid) => memoryOf(pid, 'peak')))));
    },
  };
}

const mostMebibytes = 400;

/** A server that serves on, and has never used much memory. */
export async function judgeServer(findings: Findings, server: ProbedServer): Promise<void> {
  const memory = Math.round(await server.peakMemory());
  findings.figure('most memory', `${memory} MiB`);
  findings.check(
    `the server uses less than ${mostMebibytes} MiB of memory`,
    memory < mostMebibytes,
    `${memory} MiB`,
  );
  findings.check('no server process ends unexpectedly', server.end() === undefined, server.log().slice(-300));
}

export async function startServer(findings: Findings, env: Environment): Promise<Replica> {
  const replica = await startReplica(env);
  findings.defer(replica.kill);
  return replica;
}

/** What the probe of a thread says, or 0 if the thread has ended. */
async function longestOf(path: string): Promise<number> {
  const answer = await text(connect(path)).catch(() => '{"longest":0}');
  return (JSON.parse(answer) as { longest: number }).longest;
}

export async function metric({ port }: { port: number }, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const values = Array.from(text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm')), ([, value]) =>
    Number(value),
  );
  if (values.length === 0) throw new Error(`/metrics must have the metric ${name}`);
  return values.reduce((sum, value) => sum + value, 0);
}

import { fileURLToPath } from 'node:url';
import type { Environment } from '../conformance/program.ts';
import { type Replica, startReplica } from '../faults/place.ts';

const file = fileURLToPath(new URL('bench-server.ts', import.meta.url));
const command = [process.execPath, '--conditions=@eaas/source', '--import', 'tsx', file];

/** Starts a server that runs each wrap in its own transaction, or that writes no audit entries. */
export function startBenchServer(env: Environment, log: 'transactions' | 'off'): Promise<Replica> {
  return startReplica({ ...env, BENCH_LOG: log }, command);
}

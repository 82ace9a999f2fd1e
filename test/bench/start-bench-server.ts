import { fileURLToPath } from 'node:url';
import type { Environment } from '@eaas/test-kit/program';
import type { Replica } from '@eaas/test-kit/faults/place';
import type { Defer } from './compare.ts';
import { startDeferred } from './open-operator.ts';

const file = fileURLToPath(new URL('bench-server.ts', import.meta.url));
const program = [process.execPath, '--conditions=@eaas/source', '--import', 'tsx', file];

/** Starts a server that wraps without a log. */
export function startBenchServer(defer: Defer, env: Environment): Promise<Replica> {
  return startDeferred(defer, env, program);
}

import { call, type Place } from '@eaas/test-kit/faults/client';
import { newKey } from '@eaas/test-kit/faults/place';
import { openOperator, startDeferred } from './open-operator.ts';
import { startBenchServer } from './start-bench-server.ts';
import { Burst, openLater, wrapRequest } from './burst.ts';
import type { Benchmark } from './compare.ts';

const connections = 384;

export const benchmark: Benchmark = {
  name: 'wraps',
  about: `audited wraps of one tenant over HTTP, on ${connections} connections to one server process, with a PostgreSQL that waits for the disk at each commit`,
  async comparisons(defer) {
    const { env, newTenant } = await openOperator(defer);
    const ours = await startDeferred(defer, env);
    const inTransactions = await startBenchServer(defer, env, 'transactions');
    const withoutLog = await startBenchServer(defer, env, 'off');

    const { token } = await newTenant();
    const keyId = await newKey(ours, token);
    const permissions = ['encrypt'];
    const { api_key } = await call<{ api_key: string }>(ours, token, 'POST', '/v1/api-keys', {
      name: 'bench',
      permissions,
    });
    const request = wrapRequest(keyId, api_key);
    const burst = ({ port }: Place) => openLater(() => Burst.open(port, request, connections), defer);
    const [grouped, transactions, unlogged] = [burst(ours), burst(inTransactions), burst(withoutLog)];
    const wraps = { name: 'wraps of the server', size: 3_000, run: () => grouped(3_000) };
    return [
      {
        ours: wraps,
        reference: { name: 'a transaction each', size: 500, run: () => transactions(500) },
        target: 20,
      },
      {
        ours: wraps,
        reference: { name: 'without the log', size: 3_000, run: () => unlogged(3_000) },
        target: 0.7,
      },
    ];
  },
};

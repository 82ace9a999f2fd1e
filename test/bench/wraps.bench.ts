import { fileURLToPath } from 'node:url';
import { call, type Place } from '../faults/client.ts';
import { OwnPostgres } from '../setup/own-postgres.ts';
import { newKey, operate, startReplica } from '../faults/place.ts';
import { Burst, wrapRequest } from './burst.ts';
import type { Benchmark } from './compare.ts';

const connections = 384;
const bench = fileURLToPath(new URL('bench-server.ts', import.meta.url));

export const benchmark: Benchmark = {
  name: 'wraps',
  about: `audited wraps of one tenant over HTTP, ${connections} connections, durable PostgreSQL, one server process`,
  async comparisons(defer) {
    const postgres = await OwnPostgres.start();
    defer(postgres.drop);
    const { env, newTenant, close } = await operate(postgres.url);
    defer(close);
    const ours = await startReplica(env);
    defer(ours.kill);
    const node = [process.execPath, '--conditions=@eaas/source', '--import', 'tsx'];
    const reference = await startReplica(env, [...node, bench]);
    defer(reference.kill);

    const { token } = await newTenant();
    const keyId = await newKey(ours, token);
    const permissions = ['encrypt'];
    const { api_key } = await call<{ api_key: string }>(ours, token, 'POST', '/v1/api-keys', {
      name: 'bench',
      permissions,
    });
    const burst = async ({ port }: Place): Promise<Burst> => {
      const opened = await Burst.open(port, wrapRequest(keyId, api_key), connections);
      defer(() => opened.close());
      return opened;
    };
    const [grouped, transactions] = [await burst(ours), await burst(reference)];
    return [
      {
        ours: { name: 'wraps of the server', size: 3_000, run: () => grouped.run(3_000) },
        reference: { name: 'a transaction each', size: 500, run: () => transactions.run(500) },
        target: 10,
      },
    ];
  },
};

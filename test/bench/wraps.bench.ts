import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { insider } from '../../packages/server/src/caller.ts';
import { createApiKey } from '../../packages/server/src/operations/create-api-key.ts';
import { createKey } from '../../packages/server/src/operations/create-key.ts';
import { createTenant } from '../../packages/server/src/operations/tenants.ts';
import { type BenchDatabase, benchDatabase } from './bench-database.ts';
import { Burst } from './burst.ts';
import type { Benchmark, Contender } from './compare.ts';

const connections = 384;

export const benchmark: Benchmark = {
  name: 'wraps',
  about: `audited wraps of one tenant over HTTP, ${connections} connections, durable PostgreSQL, one server process`,
  async comparisons() {
    const database = await benchDatabase();
    const request = await wrapRequest(database);
    const grouped = await server(database, 'grouped', request);
    const transactions = await server(database, 'transactions', request);
    return [
      {
        ours: contender('wraps, as they are', grouped.burst, 3_000),
        reference: contender('a transaction each', transactions.burst, 500),
        target: 10,
        close: async () => {
          grouped.stop();
          transactions.stop();
          await database.close();
        },
      },
    ];
  },
};

function contender(name: string, burst: Burst, size: number): Contender {
  return { name, size, run: () => burst.run(size) };
}

async function wrapRequest({ service }: BenchDatabase): Promise<string> {
  const { tenant_id } = await createTenant(service, { name: 'bench' });
  const operator = insider(tenant_id, 'operator');
  const { key_id } = await createKey(service, operator, { name: 'bench' });
  const { api_key } = await createApiKey(service, operator, { name: 'bench', permissions: ['encrypt'] });
  const body = JSON.stringify({ dek: Buffer.alloc(32, 7).toString('base64') });
  return [
    `POST /v1/keys/${key_id}/wrap HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${api_key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
}

async function server(
  { host, port }: BenchDatabase,
  way: 'grouped' | 'transactions',
  request: string,
): Promise<{ burst: Burst; stop: () => void }> {
  const script = new URL('./bench-server.ts', import.meta.url).pathname;
  const child: ChildProcess = spawn(
    process.execPath,
    ['--conditions=@eaas/source', '--import', 'tsx', script, way, host, String(port)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  if (!child.stdout) throw new Error('the server has a standard output');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const burst = await Burst.open(Number(line.toString()), request, connections);
  const stop = (): void => {
    burst.close();
    child.kill();
  };
  return { burst, stop };
}

import { send } from '@eaas/test-kit/faults/client';
import type { Operator, Replica } from '@eaas/test-kit/faults/place';
import { memoryOf } from '@eaas/test-kit/processes';
import { apiOf, dek, settle } from '@eaas/test-kit/world';
import type { Defer, Measurement } from './compare.ts';
import { cpuMicroseconds } from './cpu-time.ts';
import type { Figures } from './figures.ts';
import { copyTenants } from './copy-tenants.ts';
import { finishTonight } from './growth-data.ts';
import { connectDeferred, openOperator, startDeferred } from './open-operator.ts';

type Print = (text: string) => void;

const many = Number(process.env['TENANTS'] ?? 100_000);
const few = 10;
const most = Number(process.env['SERVED'] ?? 10_000);
const steps = [...new Set([Math.min(1_000, most), most])];
const atOnce = 4;

export const benchmark: Measurement = {
  name: 'replicas',
  about: `the memory of a server with ${few} and ${many.toLocaleString('en')} tenants in its database (TENANTS and SERVED choose other numbers)`,
  async measure(defer, print) {
    return [await memory(defer, print)];
  },
};

async function memory(defer: Defer, print: Print): Promise<Figures> {
  const operator = await openOperator(defer, 'installed', false);
  const sql = connectDeferred(defer, operator.postgres);
  const rows: { name: string; values: number[] }[] = [];
  const note = async (name: string, { pid }: Replica): Promise<void> => {
    rows.push({ name, values: [await memoryOf(pid, 'current'), (await cpuMicroseconds(pid)) / 1e6] });
    print(
      `${name}: ${rows
        .at(-1)
        ?.values.map((value) => value.toFixed(2))
        .join(', ')}`,
    );
  };
  const customers = await addCustomers(operator, few);
  await finishTonight(operator);
  const small = await startDeferred(defer, operator.env);
  await note(`started, ${few} tenants`, small);
  await small.kill();
  customers.push(...(await addCustomers(operator, most - few)));
  const [model] = customers;
  if (model && many > most) await copyTenants(sql, model.tenantId, many - most);
  await sql.unsafe('vacuum analyze');
  await finishTonight(operator);
  const large = await startDeferred(defer, operator.env);
  const label = `${many.toLocaleString('en')} tenants`;
  await note(`started, ${label}`, large);
  for (const count of steps) {
    await inParallel(customers.slice(0, count), async ({ token, keyId }) => {
      const wrap = () => send(large, token, 'POST', `/v1/keys/${keyId}/wrap`, { dek });
      // Repeats a failed call once, because a call can fail on a busy machine.
      const { status } = await wrap().then((answer) => (answer.status === 200 ? answer : wrap()));
      if (status !== 200) throw new Error(`a wrap must get a response with the status 200 (got ${status})`);
    });
    await note(`after a wrap of each of ${count.toLocaleString('en')} of them`, large);
  }
  return { name: 'memory', columns: ['MiB of memory', 's of CPU since the start'], rows };
}

interface Customer {
  readonly tenantId: string;
  readonly token: string;
  readonly keyId: string;
}

async function addCustomers({ service }: Operator, count: number): Promise<Customer[]> {
  const made: Customer[] = [];
  await inParallel(Array.from({ length: count }), async () => {
    const { tenantId, token } = await settle(service, `tenant ${crypto.randomUUID()}`);
    const { key_id: keyId } = await apiOf(service, token)('POST /v1/keys', { name: 'key' });
    made.push({ tenantId, token, keyId });
  });
  return made;
}

async function inParallel<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values();
  const worker = async (): Promise<void> => {
    for (const one of rest) await work(one);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

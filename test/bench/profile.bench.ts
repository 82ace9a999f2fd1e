import { eaas } from '@eaas/test-kit/program';
import type { Operator, Replica } from '@eaas/test-kit/faults/place';
import { postRequest } from './burst.ts';
import type { Defer, Measurement } from './compare.ts';
import { differences, opened, repeated, type Watched } from './costs.ts';
import { parts, type Period, profileFolder, sharesIn } from './cpu-profile.ts';
import { connectDeferred, openOperator, startDeferred } from './open-operator.ts';
import { batchRequest, type Customer, newCustomers, type Operation, unwrapOf, wrapOf } from './operations.ts';
import { benchServerWith } from './start-bench-server.ts';

interface Measured {
  readonly name: string;
  readonly period: Period;
  readonly items: number;
  readonly server: number;
  readonly postgres: number;
}

type Place = Omit<Watched, 'server'> & { readonly operator: Operator };

const columns = [
  'µs of CPU, server',
  ...parts,
  'µs of CPU, PostgreSQL',
  'share of a core that the server uses',
  'items/s if the server uses one core',
];

const items = 24_000;

export const benchmark: Measurement = {
  name: 'profile',
  about:
    'the CPU time of one item, divided into the parts of the server. `empty POST` is a request without authentication, audit and database',
  async measure(defer, print) {
    const { postgres, ...operator } = await openOperator(defer, 'installed');
    const place = { operator, sql: connectDeferred(defer, postgres), postgresPid: postgres.pid };
    const rows = [
      ...(await profile(defer, place, benchServerWith, async () => [emptyPost])),
      ...(await profile(defer, place, serverWith, async (server) =>
        (await newCustomers(operator, server, 1)).flatMap(loadsOf),
      )),
    ];
    for (const { name, values } of rows)
      print(`${name}: ${values.map((value) => value.toFixed(1)).join(', ')}`);
    return [{ name: 'µs for one item', columns, rows }];
  },
};

function serverWith(options: readonly string[]): readonly string[] {
  const [node = '', ...program] = eaas;
  return [node, ...options, ...program];
}

const emptyPost = load('empty POST', postRequest('/empty', {}, {}));

function load(name: string, text: string, connections = 64, size = 1): Operation {
  // Sends a quarter of the requests if there is only one connection, because then each request waits for the response
  // to the previous request.
  const requests = items / size / (connections === 1 ? 4 : 1);
  return { name, texts: [text], connections, size, requests };
}

function loadsOf(customer: Customer): Operation[] {
  const { headers, key_id } = customer;
  const batch = (verb: 'wrap' | 'unwrap', size: number, connections: number): Operation =>
    load(`${verb}, batches of ${size}`, batchRequest(verb, customer, size), connections, size);
  return [
    load('wrap', wrapOf(customer)),
    load('wrap, one at a time', wrapOf(customer), 1),
    load('unwrap', unwrapOf(customer)),
    load('hash', postRequest('/v1/hash', headers, { key_id, value: 'ada@example.com' })),
    load('encrypt 1 KiB', postRequest('/v1/encrypt', headers, { key_id, plaintext: 'x'.repeat(1_024) })),
    batch('wrap', 10, 16),
    batch('unwrap', 10, 16),
    batch('wrap', 100, 8),
    batch('unwrap', 100, 8),
  ];
}

async function profile(
  defer: Defer,
  { operator, ...place }: Place,
  commandWith: (options: readonly string[]) => readonly string[],
  operationsOn: (server: Replica) => Promise<readonly Operation[]>,
) {
  const folder = await profileFolder();
  defer(folder.remove);
  const server = await startDeferred(defer, operator.env, commandWith(folder.options));
  const measured: Measured[] = [];
  for (const operation of await operationsOn(server)) {
    measured.push(await measureOperation({ ...place, server }, operation));
  }
  await server.stop();
  const profiles = await folder.read();
  return measured.map((one) => rowOf(one, profiles));
}

function measureOperation(place: Watched, operation: Operation): Promise<Measured> {
  const { name, requests, size } = operation;
  return repeated(() =>
    opened(place.server, operation, requests / 3, async (run) => {
      const start = microseconds();
      const [server = 0, postgres = 0] = await differences(place, () => run(requests));
      return { name, period: { start, end: microseconds() }, items: requests * size, server, postgres };
    }),
  );
}

function rowOf({ name, period, items, server, postgres }: Measured, profiles: Profiles) {
  const shares = sharesIn(profiles, period);
  const each = server / items;
  const used = server / (period.end - period.start);
  const byPart = parts.map((part) => (shares.get(part) ?? 0) * each);
  return { name, values: [each, ...byPart, postgres / items, used, 1e6 / each] };
}

type Profiles = Parameters<typeof sharesIn>[0];

const microseconds = (): number => Number(process.hrtime.bigint() / 1_000n);

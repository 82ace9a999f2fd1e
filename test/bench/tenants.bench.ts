// The service beside OpenBao Transit, both over HTTP and durable, and two of its servers beside one. Needs `wrk`, and OpenBao,
// whose program `BAO` names.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '@eaas/test-kit/program';
import { type Benchmark, type Comparison, type Defer, resultOf } from './compare.ts';
import { startDurableBao } from './durable-bao.ts';
import { openOperator, startDeferred } from './open-operator.ts';
import { type Customer, newCustomers } from './operations.ts';

const mostTenants = 256;
const connectionsOfMany = 64;

export const benchmark: Benchmark = {
  name: 'tenants',
  about:
    'calls of as many tenants as the name says, each with its entry in the log, on as many connections as in brackets. OpenBao 2.4 Transit, which is out of support, has a key for each tenant, raft storage and a file audit device. `BAO` names its program, and `wrk` sends',
  async comparisons(defer) {
    const program = process.env['BAO'];
    if (program !== undefined) return besideOpenBao(program, defer);
    console.log('not compared: BAO must name the program of OpenBao, such as /usr/local/bin/bao');
    return [];
  },
};

interface Request {
  readonly path: string;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
}

/** Requests that take turns on each of the connections to a port. */
interface Sending {
  readonly port: number;
  readonly requests: readonly Request[];
  readonly connections: number;
}

async function besideOpenBao(program: string, defer: Defer): Promise<Comparison[]> {
  const directory = mkdtempSync(join(tmpdir(), 'eaas-openbao-'));
  defer(() => rmSync(directory, { recursive: true, force: true }));
  const bao = await startDurableBao(program, directory, mostTenants, defer);
  const { env, newTenant } = await openOperator(defer);
  const [one, other] = [await startDeferred(defer, env), await startDeferred(defer, env)];
  const customers = await newCustomers({ newTenant }, one, mostTenants);
  const [customer] = customers;
  if (!customer) throw new Error('no customer');

  let scripts = 0;
  const rate = async ({ port, requests, connections }: Sending): Promise<number> => {
    const script = join(directory, `${++scripts}.lua`);
    writeFileSync(script, luaOf(requests));
    const url = `http://127.0.0.1:${port}`;
    const { stdout } = await run(['wrk', '-t1', `-c${connections}`, '-d2s', '-s', script, url], {});
    const [, sent, microseconds, failed] = /RESULT (\d+) (\d+) (\d+)/.exec(stdout) ?? [];
    if (failed !== '0') throw new Error(`wrk of ${url} failed: ${stdout}`);
    return (Number(sent) * 1e6) / Number(microseconds);
  };
  const rateOf = async (all: readonly Sending[]): Promise<number> =>
    (await Promise.all(all.map(rate))).reduce((sum, each) => sum + each, 0);
  const beside = (
    name: string,
    ours: readonly Sending[],
    reference: string,
    theirs: readonly Sending[],
    { target, size = 1 }: { readonly target?: number | undefined; readonly size?: number } = {},
  ): Comparison => ({
    ours: name,
    reference,
    target,
    async measure() {
      const taken = [];
      for (let round = 0; round < 6; round++) {
        taken.push({ ours: size * (await rateOf(ours)), reference: size * (await rateOf(theirs)) });
      }
      return resultOf(taken.slice(1));
    },
  });

  const wrapsOf = (some: readonly Customer[], connections = connectionsOfMany, port = one.port): Sending => {
    const requests = some.map(({ path, headers }) => ({ path: `${path}/wrap`, body: { dek }, headers }));
    return { port, connections, requests };
  };
  const half = connectionsOfMany / 2;
  const [some, first] = [customers.slice(0, connectionsOfMany), customers.slice(0, half)];
  const second = some.slice(half);
  const same = [wrapsOf(some, half), wrapsOf(some, half, other.port)];
  const halves = [wrapsOf(first, half), wrapsOf(second, half, other.port)];
  const alone = [customer];
  const both = [wrapsOf(alone, half), wrapsOf(alone, half, other.port)];
  return [
    ...[1, 4, 16, 64, mostTenants].map((count) => {
      const requests = Array.from({ length: count }, (_, nth) =>
        bao.request('encrypt', { plaintext: dek }, nth),
      );
      const theirs = { port: bao.port, connections: connectionsOfMany, requests };
      const target = { 16: 0.55, 64: 0.45 }[count];
      return beside(
        `wraps of ${count} (${connectionsOfMany})`,
        [wrapsOf(customers.slice(0, count))],
        'OpenBao',
        [theirs],
        { target },
      );
    }),
    beside('two servers, the same 64', same, 'two servers, half each', halves, { target: 0.5 }),
    beside('two servers, half of 64 each', halves, 'one server', [wrapsOf(some)]),
    beside('two servers, one tenant', both, 'one server', [wrapsOf(alone)], { target: 0.7 }),
    ...callsOf(customer, bao).flatMap(({ name, ours, theirs, size, widths }) =>
      widths.map((connections) => {
        const to = (port: number, request: Request): Sending[] => [
          { port, connections, requests: [request] },
        ];
        return beside(`${name} of 1 (${connections})`, to(one.port, ours), 'OpenBao', to(bao.port, theirs), {
          size,
        });
      }),
    ),
  ];
}

const dek = randomBytes(32).toString('base64');

type Bao = Awaited<ReturnType<typeof startDurableBao>>;

function callsOf({ path, key_id, wrapped_key, headers }: Customer, { request, ciphertext }: Bao) {
  const call = (
    name: string,
    to: string,
    body: object,
    theirs: Request,
    widths: readonly number[] = [64, 1],
    size = 1,
  ) => ({ name, ours: { path: to, body, headers }, theirs, widths, size });
  const batch = (verb: 'wrap' | 'unwrap', size: number) => {
    const many = (item: object): object[] => Array.from({ length: size }, () => item);
    const items = many({ key_id, ...(verb === 'wrap' ? { dek } : { wrapped_key }) });
    const theirs =
      verb === 'wrap'
        ? request('encrypt', { batch_input: many({ plaintext: dek }) })
        : request('decrypt', { batch_input: many({ ciphertext }) });
    return call(`${verb}s in ${size}s`, `/v1/batch/${verb}`, { items }, theirs, [size === 10 ? 16 : 8], size);
  };
  const text = 'x'.repeat(1_024);
  const encoded = Buffer.from(text).toString('base64');
  return [
    call('wraps', `${path}/wrap`, { dek }, request('encrypt', { plaintext: dek }), [1]),
    call('unwraps', `${path}/unwrap`, { wrapped_key }, request('decrypt', { ciphertext })),
    call('hashes', '/v1/hash', { key_id, value: 'x' }, request('hmac', { input: 'eA==' })),
    call(
      'encrypts of 1 KiB',
      '/v1/encrypt',
      { key_id, plaintext: text },
      request('encrypt', { plaintext: encoded }),
      [64],
    ),
    batch('wrap', 10),
    batch('unwrap', 10),
    batch('wrap', 100),
    batch('unwrap', 100),
  ];
}

/** Each request is made once, because wrk has one thread for all. */
const luaOf = (requests: readonly Request[]): string =>
  [
    'local all, nth = {}, 0',
    ...requests.map(({ path, body, headers }) => {
      const all = { ...headers, 'content-type': 'application/json' };
      const lines = Object.entries(all).map(([name, value]) => `["${name}"] = "${value}"`);
      return `all[#all + 1] = { "${path}", { ${lines.join(', ')} }, [==[${JSON.stringify(body)}]==] }`;
    }),
    'init = function() for i, r in ipairs(all) do all[i] = wrk.format("POST", r[1], r[2], r[3]) end end',
    'request = function() nth = nth % #all + 1; return all[nth] end',
    'done = function(s) local e = s.errors; io.write(string.format("RESULT %d %d %d\\n", s.requests, s.duration, e.status + e.read + e.timeout)) end',
  ].join('\n');

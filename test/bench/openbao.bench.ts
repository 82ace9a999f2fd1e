// The service beside OpenBao Transit, both over HTTP and durable. Needs `wrk`, and OpenBao, whose program `BAO` names.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '@eaas/test-kit/program';
import { type Benchmark, type Comparison, type Defer, resultOf } from './compare.ts';
import { startDurableBao } from './durable-bao.ts';
import { openOperator, startDeferred } from './open-operator.ts';
import { type Customer, newCustomers } from './operations.ts';

export const benchmark: Benchmark = {
  name: 'openbao',
  about:
    'calls of one tenant, each with its entry in the log, on as many connections as in brackets; OpenBao 2.4 Transit has raft storage and a file audit device. `BAO` names its program, and `wrk` sends',
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
}

async function besideOpenBao(program: string, defer: Defer): Promise<Comparison[]> {
  const directory = mkdtempSync(join(tmpdir(), 'eaas-openbao-'));
  defer(() => rmSync(directory, { recursive: true, force: true }));
  const bao = await startDurableBao(program, directory, defer);
  const { env, newTenant } = await openOperator(defer);
  const server = await startDeferred(defer, env);
  const [customer] = await newCustomers({ newTenant }, server, 1);
  if (!customer) throw new Error('no customer');
  const sending = (port: number, headers: Readonly<Record<string, string>>, request: Request) => {
    const script = join(directory, `${port}.lua`);
    return async (connections: number): Promise<number> => {
      writeFileSync(script, luaOf(headers, request));
      const url = `http://127.0.0.1:${port}${request.path}`;
      const { stdout } = await run(['wrk', '-t1', `-c${connections}`, '-d3s', '-s', script, url], {});
      const [, requests, microseconds, failed] = /RESULT (\d+) (\d+) (\d+)/.exec(stdout) ?? [];
      if (failed !== '0') throw new Error(`wrk of ${url} failed: ${stdout}`);
      return (Number(requests) * 1e6) / Number(microseconds);
    };
  };
  return Object.entries(callsOf(customer, bao.ciphertext)).flatMap(([name, { ours, theirs, size, widths }]) =>
    widths.map((connections): Comparison => {
      const [us, them] = [
        sending(server.port, customer.headers, ours),
        sending(bao.port, bao.headers, theirs),
      ];
      const elsewhere = async () => {
        const taken = [];
        for (let round = 0; round < 5; round++)
          taken.push({ ours: size * (await us(connections)), reference: size * (await them(connections)) });
        return resultOf(taken.slice(1));
      };
      const nothing = () => undefined;
      return {
        ours: { name: `${name} (${connections})`, run: nothing },
        reference: { name: 'OpenBao', run: nothing },
        elsewhere,
      };
    }),
  );
}

function callsOf({ path, key_id, wrapped_key }: Customer, ciphertext: string) {
  const dek = randomBytes(32).toString('base64');
  const many = <T>(size: number, item: T): T[] => Array.from({ length: size }, () => item);
  const call = (
    ours: Request,
    theirs: object,
    verb: 'encrypt' | 'decrypt' | 'hmac',
    widths = [64],
    size = 1,
  ) => {
    return { ours, theirs: { path: `/v1/transit/${verb}/k`, body: theirs }, widths, size };
  };
  const batch = (verb: 'wrap' | 'unwrap', size: number) =>
    call(
      {
        path: `/v1/batch/${verb}`,
        body: { items: many(size, { key_id, ...(verb === 'wrap' ? { dek } : { wrapped_key }) }) },
      },
      { batch_input: many(size, verb === 'wrap' ? { plaintext: dek } : { ciphertext }) },
      verb === 'wrap' ? 'encrypt' : 'decrypt',
      [size === 10 ? 16 : 8],
      size,
    );
  const text = 'x'.repeat(1_024);
  return {
    wrap: call({ path: `${path}/wrap`, body: { dek } }, { plaintext: dek }, 'encrypt', [64, 1]),
    unwrap: call({ path: `${path}/unwrap`, body: { wrapped_key } }, { ciphertext }, 'decrypt', [64, 1]),
    hash: call({ path: '/v1/hash', body: { key_id, value: 'x' } }, { input: 'eA==' }, 'hmac', [64, 1]),
    'encrypt of 1 KiB': call(
      { path: '/v1/encrypt', body: { key_id, plaintext: text } },
      { plaintext: Buffer.from(text).toString('base64') },
      'encrypt',
    ),
    'wraps in 10s': batch('wrap', 10),
    'unwraps in 10s': batch('unwrap', 10),
    'wraps in 100s': batch('wrap', 100),
    'unwraps in 100s': batch('unwrap', 100),
  };
}

const luaOf = (headers: Readonly<Record<string, string>>, { body }: Request): string =>
  [
    'wrk.method = "POST"',
    ...Object.entries({ ...headers, 'content-type': 'application/json' }).map(
      ([name, value]) => `wrk.headers["${name}"] = "${value}"`,
    ),
    `wrk.body = [==[${JSON.stringify(body)}]==]`,
    'done = function(s) local e = s.errors; io.write(string.format("RESULT %d %d %d\\n", s.requests, s.duration, e.status + e.read + e.timeout)) end',
  ].join('\n');

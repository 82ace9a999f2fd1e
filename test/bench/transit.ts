import { call } from '@eaas/test-kit/faults/client';
import { newKey } from '@eaas/test-kit/faults/place';
import { Burst, openLater, postRequest } from './burst.ts';
import type { Comparison, Contender, Defer, Note } from './compare.ts';
import { startOpenBao } from './open-bao.ts';
import { openOperator, startDeferred } from './open-operator.ts';
import { quantile } from '@eaas/test-kit/statistics';

interface Server {
  readonly name: string;
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
}

interface Request {
  readonly path: string;
  readonly body: object;
}

interface Case {
  readonly name: string;
  readonly connections: number;
  readonly items: number;
  readonly ours: Request;
  readonly theirs: Request;
}

const dek = Buffer.alloc(32, 7).toString('base64');

export async function compareWithTransit(command: string, defer: Defer): Promise<Comparison[]> {
  const { server, keyId, wrappedKey } = await startEaas(defer);
  const bao = await startOpenBao(command, defer);
  const { data } = await bao.call('transit/encrypt/k', { plaintext: dek });
  const { ciphertext } = data as { readonly ciphertext: string };
  const transit: Server = { name: 'OpenBao', port: bao.port, headers: bao.headers };
  return casesOf({ keyId, wrappedKey, ciphertext }).map((one) => compared(one, server, transit, defer));
}

async function startEaas(defer: Defer) {
  const { env, newTenant } = await openOperator(defer);
  const replica = await startDeferred(defer, env);
  const { token } = await newTenant({ envelope_only: false });
  const keyId = await newKey(replica, token);
  const path = `/v1/keys/${keyId}/wrap`;
  const { wrapped_key } = await call<{ wrapped_key: string }>(replica, token, 'POST', path, { dek });
  const headers = { Authorization: `Bearer ${token}` };
  const server: Server = { name: 'Eaas', port: replica.port, headers };
  return { server, keyId, wrappedKey: wrapped_key };
}

function casesOf(given: { keyId: string; wrappedKey: string; ciphertext: string }): Case[] {
  const { keyId: key_id, wrappedKey: wrapped_key, ciphertext } = given;
  const single = { connections: 64, items: 1 };
  const value = 'ada@example.com';
  const wrap: Case = {
    ...single,
    name: 'wrap',
    ours: { path: `/v1/keys/${key_id}/wrap`, body: { dek } },
    theirs: { path: '/v1/transit/encrypt/k', body: { plaintext: dek } },
  };
  const hash: Case = {
    ...single,
    name: 'hash',
    ours: { path: '/v1/hash', body: { key_id, value } },
    theirs: { path: '/v1/transit/hmac/k', body: { input: Buffer.from(value).toString('base64') } },
  };
  const unwrap: Case = {
    ...single,
    name: 'unwrap',
    ours: { path: `/v1/keys/${key_id}/unwrap`, body: { wrapped_key } },
    theirs: { path: '/v1/transit/decrypt/k', body: { ciphertext } },
  };
  const encrypt: Case = {
    ...single,
    name: 'encrypt 1 KiB',
    ours: { path: '/v1/encrypt', body: { key_id, plaintext: 'x'.repeat(1_024) } },
    theirs: {
      path: '/v1/transit/encrypt/k',
      body: { plaintext: Buffer.alloc(1_024, 'x').toString('base64') },
    },
  };
  const batch = (verb: 'wrap' | 'unwrap', { ours, theirs }: Case, items: number): Case => {
    const fill = (item: object): object[] => Array.from({ length: items }, () => item);
    return {
      name: `${verb}, batches of ${items}`,
      connections: items === 10 ? 16 : 8,
      items,
      ours: { path: `/v1/batch/${verb}`, body: { items: fill({ key_id, ...ours.body }) } },
      theirs: { path: theirs.path, body: { batch_input: fill(theirs.body) } },
    };
  };
  const alone = (one: Case): Case => ({ ...one, name: `${one.name}, one at a time`, connections: 1 });
  return [
    wrap,
    unwrap,
    hash,
    encrypt,
    ...[10, 100].flatMap((items) => [batch('wrap', wrap, items), batch('unwrap', unwrap, items)]),
    ...[wrap, unwrap, hash].map(alone),
  ];
}

function targetOf({ name, connections, items }: Case): number | undefined {
  if (connections === 1) return undefined;
  if (items > 1) return 0.8;
  return name === 'hash' ? 2 : 1.3;
}

function compared(one: Case, ours: Server, theirs: Server, defer: Defer): Comparison {
  const [oursTimes, theirTimes]: [number[], number[]] = [[], []];
  const target = targetOf(one);
  return {
    ...(target !== undefined && { target }),
    ours: contender(one, ours, one.ours, oursTimes, defer),
    reference: contender(one, theirs, one.theirs, theirTimes, defer),
    note: () => ({ ...spread(ours.name, oursTimes), ...spread(theirs.name, theirTimes) }),
  };
}

function contender(
  { name, connections, items }: Case,
  server: Server,
  { path, body }: Request,
  times: number[],
  defer: Defer,
): Contender {
  const request = postRequest(path, server.headers, body);
  const run = openLater(() => Burst.open(server.port, request, connections, times), defer);
  const requests = 4 * connections;
  return { name: `${server.name}, ${name}`, size: requests * items, run: () => run(requests) };
}

function spread(name: string, milliseconds: readonly number[]): Note {
  // The first fifth of the requests warms up the server.
  const measured = milliseconds.slice(milliseconds.length / 5);
  const at = (share: number): string => quantile(measured, share).toFixed(2);
  return { [`${name}: p50 in ms`]: at(0.5), [`${name}: p99 in ms`]: at(0.99) };
}

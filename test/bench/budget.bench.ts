// What one wrap, unwrap, hash and read of a key cost the server (with BUDGET_FILES=1 also the files that they enter), so
// that a longer way is seen. Functions and files are those of the server, the service and the protocol; the rest is of the whole process.
import { createHook } from 'node:async_hooks';
import { EventEmitter, once } from 'node:events';
import { type Profiler, Session } from 'node:inspector';
import { connect, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveHttp } from '../../packages/server/src/app/serve.ts';
import { apiOf, dek } from '@eaas/test-kit/world';
import type { Report } from './compare.ts';
import { openOperator } from './open-operator.ts';

const rounds = 51;
/** What a wrap may cost at most. These only go down. */
const most = { files: 64, 'promises of ours': 12, statements: 1 };

export const benchmark: Report = {
  name: 'budget',
  about: 'the files, functions, promises and timers of a wrap, an unwrap, a hash and a read of a key',
  async *report(defer) {
    const { service, newTenant } = await openOperator(defer);
    const { token } = await newTenant();
    const state = { jobs: [], verified: undefined };
    const { app } = serveHttp(service, state, { log: { write: () => {} } });
    defer(() => app.close());
    const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    const api = apiOf(service, token);
    const { key_id } = await api('POST /v1/keys', { name: 'key' });
    const { wrapped_key } = await api('POST /v1/keys/:key_id/wrap', { key_id, dek });
    const socket = connect(Number(port), '127.0.0.1');
    defer(() => socket.destroy());
    const send = async (path: string, body?: object): Promise<void> => {
      const head = `${body ? 'POST' : 'GET'} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n`;
      const text = JSON.stringify(body) ?? '';
      const type = body ? `content-type: application/json\r\ncontent-length: ${text.length}\r\n` : '';
      socket.write(`${head}${type}\r\n${text}`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      if (!answer.toString().startsWith('HTTP/1.1 200')) throw new Error(answer.toString());
      await sleep(1);
    };
    const nothing = async (): Promise<void> => {
      socket.once('data', () => {});
      socket.emit('data', Buffer.alloc(0));
      await sleep(1);
    };
    const none = await countedIn(nothing);
    const works = {
      wrap: () => send(`/v1/keys/${key_id}/wrap`, { dek }),
      unwrap: () => send(`/v1/keys/${key_id}/unwrap`, { wrapped_key }),
      hash: () => send('/v1/hash', { key_id, value: 'ann@example.org' }),
      read: () => send(`/v1/keys/${key_id}`),
    };
    const over: string[] = [];
    for (const [name, work] of Object.entries(works)) {
      const { files, ...counts } = await countedIn(work);
      const own = Object.entries(counts).map(([what, count]): [what: string, count: number] => {
        return [what, count - none[what as keyof typeof counts]];
      });
      const all = [['files', files.length] as const, ...own];
      yield `${name}: ${all.map(([what, count]) => `${count} ${what}`).join(', ')}`;
      if (process.env['BUDGET_FILES']) yield* files.map((file) => `  ${file}`);
      for (const [what, budget] of name === 'wrap' ? Object.entries(most) : []) {
        const [, count = 0] = all.find(([of]) => of === what) ?? [];
        if (count > budget) over.push(`${count} ${what}, of at most ${budget}`);
      }
    }
    if (over.length > 0) throw new Error(`a wrap costs more than its budget: ${over.join('; ')}`);
  },
};

/** Calls `count` before each call of a method, until the returned function is called. */
function watched<Name extends string>(
  object: Record<Name, (...all: never[]) => unknown>,
  name: Name,
  count: (first: unknown) => void,
): () => void {
  const original = object[name];
  object[name] = function (this: unknown, ...all: never[]) {
    count(all[0]);
    return original.apply(this, all);
  };
  return () => void (object[name] = original);
}

/** Counts what a work costs, each as the median of rounds: now and then a timer of something else runs in one. */
async function countedIn(work: () => Promise<void>) {
  for (let round = 0; round < 20; round++) await work();
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const entered: Entered[] = [];
  for (let round = 0; round < rounds; round++) {
    session.post('Profiler.takePreciseCoverage');
    await work();
    session.post('Profiler.takePreciseCoverage', (_, { result }) => void entered.push(enteredIn(result)));
  }
  session.disconnect();
  const counts = {
    promises: 0,
    'promises of ours': 0,
    timers: 0,
    immediates: 0,
    listeners: 0,
    statements: 0,
  };
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') counts.promises++;
      if (type === 'PROMISE' && isOurs(new Error())) counts['promises of ours']++;
      else if (type === 'Timeout') counts.timers++;
      else if (type === 'Immediate') counts.immediates++;
    },
  });
  const restore = (['on', 'addListener', 'prependListener'] as const).map((name) =>
    watched(EventEmitter.prototype, name, () => void counts.listeners++),
  );
  restore.push(
    watched(Socket.prototype, 'write', (bytes) => void (counts.statements += statementsIn(bytes))),
  );
  hook.enable();
  const each: (typeof counts)[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = { ...counts };
    await work();
    each.push(mapValues(counts, (count, name) => count - before[name]));
  }
  hook.disable();
  for (const end of restore) end();
  const typical = middle(entered, ({ calls }) => calls);
  const costs = mapValues(counts, (_, name) => middle(each, (one) => one[name])[name]);
  return { ...typical, ...costs };
}

function mapValues<Name extends string>(
  record: Record<Name, number>,
  map: (value: number, name: Name) => number,
) {
  const all = Object.entries<number>(record).map(([name, value]) => [name, map(value, name as Name)]);
  return Object.fromEntries(all) as Record<Name, number>;
}

/** The one in the middle, by a number. */
function middle<Item>(items: readonly Item[], by: (item: Item) => number): Item {
  const sorted = items.toSorted((a, b) => by(a) - by(b));
  return sorted[Math.floor(sorted.length / 2)] as Item;
}

interface Entered {
  readonly files: readonly string[];
  readonly functions: number;
  readonly calls: number;
}

/** The files and functions of ours that were entered, and how often. */
function enteredIn(result: readonly Profiler.ScriptCoverage[]): Entered {
  const ours = result.flatMap(({ url, functions }) => {
    // What runs TypeScript names functions by a function of its own, which the built packages do not have.
    const own = functions.filter(({ functionName }) => functionName !== '__name');
    const counts = own.flatMap(({ ranges: [range] }) => range?.count || []);
    return source.test(url) && counts.length > 0 ? [{ url, counts }] : [];
  });
  const counts = ours.flatMap((one) => one.counts);
  return {
    files: ours.map(({ url }) => url.replace(/^.*packages\//, '')).toSorted(),
    functions: counts.length,
    calls: counts.reduce((sum, count) => sum + count, 0),
  };
}

const source = /packages\/(?:server|service|protocol)\/src\//;

/** Whether code of ours made what an error was made in: the first frame that is not the hook, or Node. */
function isOurs({ stack = '' }: Error): boolean {
  const frames = stack.split('\n').slice(2);
  return source.test(frames.find((frame) => !/ \(?node:|<anonymous>/.test(frame)) ?? '');
}

/** Counts the messages with which postgres.js runs a statement: Bind, and Query. */
function statementsIn(bytes: unknown): number {
  if (!Buffer.isBuffer(bytes)) return 0;
  let count = 0;
  for (let at = 0; at + 5 <= bytes.length; at += 1 + bytes.readUInt32BE(at + 1)) {
    const type = String.fromCharCode(bytes[at] ?? 0);
    if (!/[BCDEHPQSX]/.test(type)) return 0;
    if (type === 'B' || type === 'Q') count++;
  }
  return count;
}

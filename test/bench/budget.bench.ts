// What one wrap, unwrap, hash and read of a key cost the server (with BUDGET_FILES=1 also the files that they enter), so
// that a longer way is seen. Functions and files are those of the server, the service and the protocol; the rest is of the whole process.
import { createHook } from 'node:async_hooks';
import { EventEmitter, once } from 'node:events';
import { Session } from 'node:inspector';
import { connect, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveHttp } from '../../packages/server/src/app/serve.ts';
import { apiOf, dek } from '@eaas/test-kit/world';
import type { Report } from './compare.ts';
import { openOperator } from './open-operator.ts';

const rounds = 50;
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
        return [what, Math.round(count - none[what as keyof typeof counts])];
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

async function countedIn(work: () => Promise<void>) {
  for (let round = 0; round < 20; round++) await work();
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await work();
  session.post('Profiler.takePreciseCoverage');
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
  for (let round = 0; round < rounds; round++) await work();
  hook.disable();
  for (const end of restore) end();
  const entered: { readonly url: string; readonly functions: number; readonly calls: number }[] = [];
  session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    for (const { url, functions } of result) {
      if (!source.test(url)) continue;
      // What runs TypeScript names functions by a function of its own, which the built packages do not have.
      const own = functions.filter(({ functionName }) => functionName !== '__name');
      const called = own.flatMap(({ ranges: [range] }) => (range && range.count > 0 ? [range] : []));
      const calls = called.reduce((sum, { count }) => sum + count, 0);
      if (calls > 0) entered.push({ url, functions: called.length, calls });
    }
  });
  session.disconnect();
  const sum = (of: 'functions' | 'calls') => entered.reduce((all, one) => all + one[of], 0);
  const each = Object.entries(counts).map(([name, count]) => [name, count / rounds]);
  return {
    files: entered.map(({ url }) => url.replace(/^.*packages\//, '')).sort(),
    functions: sum('functions'),
    calls: sum('calls') / rounds,
    ...(Object.fromEntries(each) as typeof counts),
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

// What one wrap, unwrap, hash and read of a key cost the server (with BUDGET_FILES=1 also the files that they enter), so
// that a longer way is seen. Files and promises are those of the server, the service and the protocol.
import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { type Profiler, Session } from 'node:inspector';
import { connect, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveHttp } from '../../packages/server/src/app/serve.ts';
import { apiOf, dek } from '@eaas/test-kit/world';
import type { Report } from './compare.ts';
import { openOperator } from './open-operator.ts';

const rounds = 51;
/** What a wrap may cost at most. These only go down. */
const most = { files: 64, promises: 12, statements: 1 };

export const benchmark: Report = {
  name: 'budget',
  about: 'the files, promises and statements of a wrap, an unwrap, a hash and a read of a key',
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
    const works = {
      wrap: () => send(`/v1/keys/${key_id}/wrap`, { dek }),
      unwrap: () => send(`/v1/keys/${key_id}/unwrap`, { wrapped_key }),
      hash: () => send('/v1/hash', { key_id, value: 'ann@example.org' }),
      read: () => send(`/v1/keys/${key_id}`),
    };
    const over: string[] = [];
    for (const [name, work] of Object.entries(works)) {
      const { files, ...rest } = await countedIn(work);
      const counts = { files: files.length, ...rest };
      yield `${name}: ${Object.entries(counts)
        .map(([what, count]) => `${count} ${what}`)
        .join(', ')}`;
      if (process.env['BUDGET_FILES']) yield* files.map((file) => `  ${file}`);
      if (name !== 'wrap') continue;
      for (const what of ['files', 'promises', 'statements'] as const) {
        if (counts[what] > most[what]) over.push(`${counts[what]} ${what}, of at most ${most[what]}`);
      }
    }
    if (over.length > 0) throw new Error(`a wrap costs more than its budget: ${over.join('; ')}`);
  },
};

/** Counts what a work costs, each as the median of rounds: now and then something else runs in one. */
async function countedIn(work: () => Promise<void>) {
  for (let round = 0; round < 20; round++) await work();
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const entered: (readonly string[])[] = [];
  for (let round = 0; round < rounds; round++) {
    session.post('Profiler.takePreciseCoverage');
    await work();
    session.post('Profiler.takePreciseCoverage', (_, { result }) => void entered.push(filesIn(result)));
  }
  session.disconnect();
  let [promises, statements] = [0, 0];
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE' && isOurs(new Error())) promises++;
    },
  });
  const write = Reflect.get(Socket.prototype, 'write') as (...all: readonly unknown[]) => boolean;
  Socket.prototype.write = function (this: Socket, ...all: readonly unknown[]) {
    statements += statementsIn(all[0]);
    return Reflect.apply(write, this, all);
  };
  hook.enable();
  const each: { promises: number; statements: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    [promises, statements] = [0, 0];
    await work();
    each.push({ promises, statements });
  }
  hook.disable();
  Socket.prototype.write = write;
  return {
    files: middle(entered, (files) => files.length),
    promises: middle(each, (one) => one.promises).promises,
    statements: middle(each, (one) => one.statements).statements,
  };
}

/** The one in the middle, by a number. */
function middle<Item>(items: readonly Item[], by: (item: Item) => number): Item {
  const sorted = items.toSorted((a, b) => by(a) - by(b));
  return sorted[Math.floor(sorted.length / 2)] as Item;
}

/** The files of ours of which a function was entered. */
function filesIn(result: readonly Profiler.ScriptCoverage[]): string[] {
  const ours = result.filter(({ url, functions }) => {
    // What runs TypeScript names functions by a function of its own, which the built packages do not have.
    const own = functions.filter(({ functionName }) => functionName !== '__name');
    return source.test(url) && own.some(({ ranges: [range] }) => range?.count);
  });
  return ours.map(({ url }) => url.replace(/^.*packages\//, '')).toSorted();
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

// Prints what one wrap, unwrap, hash and read of a key cost the server (`npm run budget`; with BUDGET_FILES=1 also the files
// they enter), so that a longer way is seen. Functions and files are those of the server and the protocol; the rest is of the
// whole process.
import { createHook } from 'node:async_hooks';
import { EventEmitter, once } from 'node:events';
import { Session } from 'node:inspector';
import { connect, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { apiOf, dek, settle, testWorld } from '@eaas/test-kit/world';

const rounds = 50;
/** Vite turns each export into such a function. Node alone calls none. */
const viteGetter = /^\(\) => \{ try \{ return \S+ \} catch \{\} \}$/;

const world = await testWorld();

test('prints the budget of a wrap, an unwrap, a hash and a read of a key', async () => {
  const service = world.replica();
  const { token } = await settle(service, 'ann');
  const { port } = new URL(await world.serve(service));
  const api = apiOf(service, token);
  const { key_id } = await api('POST /v1/keys', { name: 'key' });
  const { wrapped_key } = await api('POST /v1/keys/:key_id/wrap', { key_id, dek });
  const socket = connect(Number(port), '127.0.0.1');
  const send = async (path: string, body?: object): Promise<void> => {
    const head = `${body ? 'POST' : 'GET'} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n`;
    const text = JSON.stringify(body) ?? '';
    const type = body ? `content-type: application/json\r\ncontent-length: ${text.length}\r\n` : '';
    socket.write(`${head}${type}\r\n${text}`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 200/);
    await sleep(1);
  };
  const wrap = () => send(`/v1/keys/${key_id}/wrap`, { dek });
  const unwrap = () => send(`/v1/keys/${key_id}/unwrap`, { wrapped_key });
  const hash = () => send('/v1/hash', { key_id, value: 'ann@example.org' });
  const read = () => send(`/v1/keys/${key_id}`);
  const nothing = async (): Promise<void> => {
    socket.once('data', () => {});
    socket.emit('data', Buffer.alloc(0));
    await sleep(1);
  };
  const none = await countedIn(nothing);
  for (const [name, work] of Object.entries({ wrap, unwrap, hash, read })) {
    const { files, ...counts } = await countedIn(work);
    const own = Object.entries(counts).map(([what, count]) => {
      return `${Math.round(count - none[what as keyof typeof counts])} ${what}`;
    });
    print(`${name}: ${[`${files.length} files`, ...own].join(', ')}`);
    if (process.env['BUDGET_FILES']) for (const file of files) print(`  ${file}`);
    expect(files.length).toBeLessThan(80);
  }
  socket.destroy();
}, 60_000);

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function countedIn(work: () => Promise<void>) {
  for (let round = 0; round < 20; round++) await work();
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const counts = { promises: 0, timers: 0, immediates: 0 };
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') counts.promises++;
      else if (type === 'Timeout') counts.timers++;
      else if (type === 'Immediate') counts.immediates++;
    },
  });
  const listening = (['on', 'addListener', 'prependListener'] as const).map((name) =>
    vi.spyOn(EventEmitter.prototype, name),
  );
  const writing = vi.spyOn(Socket.prototype, 'write');
  await work();
  session.post('Profiler.takePreciseCoverage');
  for (const spy of [...listening, writing]) spy.mockClear();
  hook.enable();
  Object.assign(counts, { promises: 0, timers: 0, immediates: 0 });
  for (let round = 0; round < rounds; round++) await work();
  hook.disable();
  const listeners = listening.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  const statements = writing.mock.calls.reduce((sum, [bytes]) => sum + statementsIn(bytes), 0);
  vi.restoreAllMocks();
  const entered: { readonly url: string; readonly functions: number; readonly calls: number }[] = [];
  session.post('Debugger.enable');
  session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    for (const { url, functions, scriptId } of result) {
      if (!/packages\/(?:server|protocol)\/src\//.test(url) || url.includes('.test.')) continue;
      const called = functions.flatMap(({ ranges: [range] }) => (range && range.count > 0 ? [range] : []));
      session.post('Debugger.getScriptSource', { scriptId }, (_, { scriptSource }) => {
        const own = called.filter((at) => !viteGetter.test(scriptSource.slice(at.startOffset, at.endOffset)));
        const calls = own.reduce((sum, { count }) => sum + count, 0);
        if (calls > 0) entered.push({ url, functions: own.length, calls });
      });
    }
  });
  session.disconnect();
  const sum = (of: 'functions' | 'calls') => entered.reduce((all, one) => all + one[of], 0);
  const all = { ...counts, listeners, statements };
  const each = Object.entries(all).map(([name, count]) => [name, count / rounds]);
  return {
    files: entered.map(({ url }) => url.replace(/^.*packages\//, '')).sort(),
    functions: sum('functions'),
    calls: sum('calls') / rounds,
    ...(Object.fromEntries(each) as typeof all),
  };
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

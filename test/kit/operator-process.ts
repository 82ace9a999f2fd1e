import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import './stretch.ts';
import { run } from '../../packages/cli/src/program.ts';

// Starting Node takes longer than a short command, so one process runs the `eaas` commands of all test files.

export interface Order {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

class Session {
  readonly env: Order['env'];
  exitCode: number | undefined = undefined;
  readonly written = { stdout: '', stderr: '' };

  constructor(env: Order['env']) {
    this.env = env;
  }
}

const sessions = new AsyncLocalStorage<Session>();
const own = new Set<string | symbol>(['env', 'exitCode']);
const real = process;
const placeOf = (name: string | symbol): object => (own.has(name) && sessions.getStore()) || real;
globalThis.process = new Proxy(real, {
  get: (_, name) => Reflect.get(placeOf(name), name) as unknown,
  set: (_, name, value) => Reflect.set(placeOf(name), name, value),
});

// All commands write to the same two streams, so each session collects the text that its own command writes.
for (const name of ['stdout', 'stderr'] as const) {
  const write = real[name].write.bind(real[name]);
  real[name].write = (chunk: string, done?: unknown): boolean => {
    const session = sessions.getStore();
    if (session === undefined) return write(chunk);
    session.written[name] += chunk;
    if (typeof done === 'function') done();
    return true;
  };
}

async function carryOut(request: IncomingMessage): Promise<string> {
  const { args, env } = (await json(request)) as Order;
  const session = new Session(env);
  const code = await sessions.run(session, () => run(args));
  return JSON.stringify({ code, ...session.written });
}

const server = createServer((request, response) => {
  carryOut(request).then(
    (finished) => response.end(finished),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
}).listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.(server.address());
process.on('disconnect', () => process.exit());

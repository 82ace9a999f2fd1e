import { Socket } from 'node:net';
import { appOptions, startAppAndJobs } from '@eaas/server';
import {
  type Caller,
  databaseAt,
  type Doors,
  notReady,
  SharedRead,
  openServiceOn,
  prepareProcess,
  type ServeOptions,
} from '@eaas/server/internal';
import type { FastifyInstance } from 'fastify';
import {
  type Arrived,
  isHealth,
  patience,
  Questions,
  type Seen,
  type Start,
  type ToMain,
  type ToWorker,
} from './messages.ts';

const send = (message: ToMain): void => {
  // If the main process has just ended, the message is dropped. The event `disconnect` ends the worker.
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
};

/** Serves as a worker process, by the messages of the main process. `messageOf` is how the command words an error. */
export function work(config: ServeOptions, messageOf: (error: unknown) => string): void {
  // Workers ignore signals, because Ctrl-C and systemd signal all processes, but the main process must stop the workers
  // in order.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  process.on('disconnect', () => process.exit());
  const questions = new Questions(patience.ofWorker);
  const connections = new Connections((seen) => send({ type: 'seen', ...seen }));
  let serving: Serving | undefined;
  const start = async (order: Start): Promise<void> => {
    try {
      serving = await serveAsWorker(config, order, connections, questions);
      send({ type: 'ready' });
    } catch (error) {
      send({ type: 'failed', message: messageOf(error) });
      process.disconnect();
    }
  };
  process.on('message', (message: ToWorker, socket: unknown) => {
    if (message.type === 'start') void start(message);
    else if (message.type === 'connection') {
      send({ type: 'taken' });
      serving?.accept(message, socket);
    } else if (message.type === 'leave') connections.leave(message.tenantId);
    else if (message.type === 'answer') questions.settle(message.id, message.answer);
    else if (message.type === 'ask') void serving?.answer(message);
    else void (serving?.stop() ?? Promise.resolve()).finally(() => process.disconnect());
  });
}

type Ask = Extract<ToWorker, { type: 'ask' }>;

interface Serving {
  accept(arrived: Arrived, socket: unknown): void;
  answer(ask: Ask): Promise<void>;
  stop(): Promise<void>;
}

async function serveAsWorker(
  config: ServeOptions,
  order: Start,
  connections: Connections,
  questions: Questions,
): Promise<Serving> {
  const { worker, workers, port } = order;
  const report = prepareProcess();
  const { console, tls, ...options } = await appOptions(config);
  const [root, previous = null] = order.rootKeys.map((bytes) => ({ load: async () => bytes }));
  if (!root) throw new Error('the first message to a worker must contain a root key (got none)');
  const replica = { ...config, previousRootKey: previous };
  const open = await openServiceOn(databaseAt(order.connection, root), replica, 'command', workers);
  let own: Doors | undefined;
  let server: FastifyInstance['server'] | undefined;
  const stop = await startAppAndJobs({
    options: replica,
    open: { ...open, warnings: [] },
    report,
    app: {
      ...options,
      worker,
      ...(tls && { tls: { ...tls, ticketKeys: Buffer.from(order.ticketKeys) } }),
      ...(console && { console: { ...console, port } }),
      leaves: (socket, caller) => connections.note(socket, caller),
    },
    wrap(doors) {
      own = doors;
      return { ...doors, ...together(doors, questions) };
    },
    async listen(app) {
      await app.ready();
      server = app.server;
      // Node begins to check the time limits of requests at the event `listening`. A worker does not listen itself, so
      // it emits the event.
      server.emit('listening');
    },
  });
  return {
    stop,
    accept(arrived, socket) {
      // Node passes no socket if the client has already disconnected.
      if (!(socket instanceof Socket)) return;
      // `allowHalfOpen` keeps a socket open after the client has finished sending. Node's HTTP server also sets this
      // option. Node's HTTPS server does not set it.
      socket.allowHalfOpen = !tls;
      connections.add(socket, arrived);
      if (arrived.bytes.length > 0) socket.unshift(arrived.bytes);
      // After `unshift`, Node reads from the socket in the next tick. This read would resume a socket that the HTTP
      // server has already paused, and an upload could fill the memory. The HTTP server therefore gets the socket
      // later.
      process.nextTick(() => server?.emit('connection', socket));
    },
    async answer({ id, question }) {
      const asked = question === 'health' ? own?.health() : own?.registry.getMetricsAsJSON();
      const answer = await asked?.catch(() => undefined);
      send({ type: 'answer', id, answer });
    },
  };
}

function together(doors: Doors, questions: Questions): Pick<Doors, 'health' | 'metrics'> {
  const health = new SharedRead(async () => {
    const answer = await questions.ask('health', send);
    return isHealth(answer) ? answer : { ready: false, reasons: [notReady.unknown] };
  }, 1_000);
  return {
    health: () => health.recent(),
    async metrics() {
      const answer = await questions.ask('metrics', send);
      return typeof answer === 'string' ? answer : doors.metrics();
    },
  };
}

interface Connection {
  readonly token: string;
  readonly isKnown: boolean;
  tenantId?: string;
  leaves: boolean;
}

export class Connections {
  readonly #bySocket = new Map<Socket, Connection>();
  readonly #report: (seen: Seen) => void;

  constructor(report: (seen: Seen) => void) {
    this.#report = report;
  }

  add(socket: Socket, { token, isKnown }: Arrived): void {
    if (token === undefined) return;
    this.#bySocket.set(socket, { token, isKnown, leaves: false });
    socket.once('close', () => this.#bySocket.delete(socket));
  }

  leave(tenantId: string): void {
    for (const connection of this.#bySocket.values()) {
      if (connection.tenantId === tenantId) connection.leaves = true;
    }
  }

  /**
   * A proxy can send requests of several tenants on one connection. The connection belongs to the tenant of its first
   * request.
   */
  note(socket: Socket, caller: Caller | undefined): boolean {
    const connection = this.#bySocket.get(socket);
    if (!connection) return false;
    if (connection.tenantId === undefined && caller?.credential) {
      const { token, isKnown } = connection;
      if (Buffer.from(caller.credential.tokenHash).toString('hex') !== token) return false;
      const { tenantId } = caller;
      connection.tenantId = tenantId;
      if (!isKnown) this.#report({ token, tenantId });
    }
    return connection.leaves;
  }
}

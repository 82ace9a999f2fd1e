// Ends a server without cutting anybody off, which Node and Fastify do not: they destroy idle connections at once, and
// the kernel resets a connection that has unread bytes.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

const deadline = 10_000;
/**
 * While the server closes, an idle connection stays open for this number of milliseconds, because a request or the rest
 * of a TLS handshake can still be on its way.
 */
const quiet = 250;
/** How long the server discards received data after it has ended a connection. The client can still send data. */
const linger = 2_000;

interface Connection {
  running: number;
  /** The socket's `bytesRead` after its last request. A larger `bytesRead` means that another request has begun. */
  readAtRest: number;
}

/**
 * Lets running requests finish, refuses further requests, and ends connections without a reset. The kernel resets a
 * connection that is closed before all received bytes are read.
 */
export function closeGracefully(app: FastifyInstance): { isClosing: () => boolean } {
  const { server } = app;
  const open = new Set<Socket>();
  const connections = new Map<Socket, Connection>();
  /** The sockets without a finished TLS handshake, by the address of the client. */
  const handshakes = new Map<string, Socket>();
  const isTls = 'setSecureContext' in server;
  let isClosing = false;

  server.on('connection', (socket: Socket) => {
    open.add(socket);
    const client = clientOf(socket);
    if (isTls) handshakes.set(client, socket);
    socket.once('close', () => {
      open.delete(socket);
      if (handshakes.get(client) === socket) handshakes.delete(client);
    });
  });
  server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
    handshakes.delete(clientOf(socket));
    // In a worker, the socket can hold bytes that the main process has already read. They belong to a request that has
    // not begun. If `readAtRest` included them, the connection would seem idle and be ended.
    const connection = { running: 0, readAtRest: socket.bytesRead - socket.readableLength };
    connections.set(socket, connection);
    socket.once('close', () => connections.delete(socket));
    if (isClosing) prepareEnd(socket, connection);
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (!connection) return;
    connection.running++;
    const finish = (): void => {
      // A request is still running until both its body and its response have ended. The rest of a refused body can
      // arrive after the response.
      if (!request.closed || !response.closed) return;
      connection.running--;
      connection.readAtRest = socket.bytesRead;
      if (isClosing) endWhenQuiet(socket, connection);
    };
    request.once('close', finish);
    response.once('close', finish);
  });
  // Node calls `closeIdleConnections` when the server closes. Without this empty function, Node would destroy idle
  // connections at once.
  server.closeIdleConnections = () => {};

  app.addHook('preClose', async () => {
    isClosing = true;
    setTimeout(() => open.forEach((socket) => socket.destroy()), deadline).unref();
    for (const [socket, connection] of connections) prepareEnd(socket, connection);
    await acceptWaiting();
    const endHandshakes = (): void => handshakes.forEach((socket) => socket.destroy());
    setTimeout(() => setImmediate(endHandshakes), quiet).unref();
  });
  app.addHook('onClose', async () => {
    // Node waits only for connections that this process has accepted. In a worker, the main process has accepted the
    // connections, so the worker itself must wait until its connections are closed.
    while (open.size > 0) await sleep(20);
  });
  return { isClosing: () => isClosing };
}

/**
 * Lets the event loop accept the waiting connections. Otherwise the kernel would reset these connections when the
 * server stops listening.
 */
export async function acceptWaiting(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

function clientOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function prepareEnd(socket: Socket, connection: Connection): void {
  // Node calls `destroySoon` after a response with `Connection: close`. Without this replacement, Node could destroy
  // the connection before the client has read the response.
  socket.destroySoon = () => end(socket);
  endWhenQuiet(socket, connection);
}

function endWhenQuiet(socket: Socket, connection: Connection): void {
  const endIfIdle = (): void => {
    if (connection.running === 0 && socket.bytesRead === connection.readAtRest) end(socket);
  };
  // Timers run before the event loop reads from sockets. `setImmediate` runs after these reads, so `endIfIdle` does not
  // end a connection that has just received a request.
  setTimeout(() => setImmediate(endIfIdle), quiet).unref();
}

function end(socket: Socket): void {
  socket.end();
  setTimeout(() => socket.destroy(), linger).unref();
}

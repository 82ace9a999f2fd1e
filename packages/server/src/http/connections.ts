// How connections end without cutting anybody off, which Node and Fastify do not: they destroy idle connections at once, and
// the kernel resets a connection that has unread bytes. And what bytes get that are not HTTP.
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Problem, problem } from '@eaas/protocol/wire';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { commonHeaders } from './visit.ts';
import { timeLimit } from '../base/time-limit.ts';

const deadline = 10_000;
/**
 * While the server closes, an idle connection stays open for this number of milliseconds, because a request or the rest
 * of a TLS handshake can still be on its way.
 */
const quiet = 250;
/** How long the server discards received data after it has ended a connection. The client can still send data. */
const linger = 2_000;

/** The response to the newest request of each connection. */
const newest = new WeakMap<Socket, ServerResponse>();

interface Connection {
  running: number;
  /** The socket's `bytesRead` after its last request. A larger `bytesRead` means that another request has begun. */
  readAtRest: number;
}

/**
 * When the server closes, lets running requests finish, refuses further requests, and ends connections without a reset.
 * The kernel resets a connection that is closed before all received bytes are read.
 */
export function watchConnections(app: FastifyInstance) {
  const { server } = app;
  const open = new Set<Socket>();
  const connections = new Map<Socket, Connection>();
  let isClosing = false;

  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Socket) => {
    const connection: Connection = { running: 0, readAtRest: socket.bytesRead };
    connections.set(socket, connection);
    socket.once('close', () => connections.delete(socket));
    if (isClosing) prepareEnd(socket, connection);
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (!connection) return;
    connection.running++;
    newest.set(socket, response);
    const finish = (): void => {
      connection.running--;
      connection.readAtRest = socket.bytesRead;
      if (isClosing) endWhenQuiet(socket, connection);
    };
    response.once('close', () => {
      // A request is still running until both its body and its response have ended. The rest of a refused body can
      // arrive after the response.
      if (request.closed) finish();
      else request.once('close', finish);
    });
  });
  // Node calls `closeIdleConnections` when the server closes. Without this empty function, Node would destroy idle
  // connections at once.
  server.closeIdleConnections = () => {};

  app.addHook('preClose', async () => {
    isClosing = true;
    setTimeout(() => open.forEach((socket) => socket.destroy()), timeLimit(deadline)).unref();
    for (const [socket, connection] of connections) prepareEnd(socket, connection);
    // The event loop accepts the waiting connections, which the kernel would reset when the server stops listening.
    await nextTurn();
    await nextTurn();
    const endHandshakes = (): void => {
      const clients = new Set(Array.from(connections.keys(), clientOf));
      for (const socket of open) if (!clients.has(clientOf(socket))) socket.destroy();
    };
    setTimeout(() => setImmediate(endHandshakes), quiet).unref();
  });
  return { isClosing: () => isClosing };
}

/** A connection has one socket with TLS, and one without. */
const clientOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

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
  setTimeout(() => socket.destroy(), timeLimit(linger)).unref();
}

const headersTooLarge: Problem = {
  ...problem('too_large', 'The request line and headers are larger than 16 KiB: send fewer or shorter ones.'),
  status: 431,
  title: 'Request Header Fields Too Large',
};
const tooSlow: Problem = {
  ...problem(
    'bad_request',
    'The whole request did not arrive in time: send the request again, without pauses.',
  ),
  status: 408,
  title: 'Request Timeout',
};
const garbage = problem('bad_request', 'The request is not valid HTTP/1.1.');

/** Responds to a connection whose bytes are not a request, if nothing has been sent yet. */
export function answerSocketError(
  error: Error & { code?: string },
  socket: Socket,
  log: FastifyBaseLogger,
): void {
  const document = problemOf(error.code ?? '');
  if (!document || !socket.writable || isResponding(socket)) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  log.info({ request_id: requestId, method: null, route: null, status: document.status }, 'request');
  socket.end(httpResponse(document, requestId));
  socket.destroySoon();
}

function problemOf(code: string): Problem | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooSlow;
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge;
  return code.startsWith('HPE_') ? garbage : undefined;
}

/** Until a response and its request are over, an error response would become part of its body, or a second response. */
function isResponding(socket: Socket): boolean {
  const response = newest.get(socket);
  return response?.headersSent === true && !(response.writableFinished && response.req.complete);
}

function httpResponse(document: Problem, requestId: string): string {
  const body = JSON.stringify(document);
  const headers = {
    ...commonHeaders,
    'x-request-id': requestId,
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${document.status} ${STATUS_CODES[document.status]}\r\n${lines.join('')}\r\n${body}`;
}

// What a single connection may cost the others: pipelined requests, unread responses, and bytes that are not HTTP.
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { requestTimeout } from '@eaas/protocol/service';
import { type Problem, problem } from '@eaas/protocol/wire';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { Admission } from '../admission/admission.ts';
import { commonHeaders, sharesAs } from './visit.ts';

interface Pipelined {
  readonly reply: FastifyReply;
  readonly begin: () => void;
}

/**
 * The maximum number of waiting requests per connection. Without a maximum, one client could fill the memory, because a
 * request of 40 bytes takes about 3 kB while it waits.
 */
const mostPipelined = 100;
const smallResponse = 16 * 1024;

/**
 * Pauses between the requests of one connection, and closes a connection with too many waiting requests. Otherwise a
 * client that sends thousands of requests in one packet would delay all other clients and fill the memory.
 */
export function oneByOne() {
  const connections = new WeakMap<Socket, Pipelined[]>();
  const start = (socket: Socket, { reply, begin }: Pipelined): void => {
    reply.raw.once('close', () => {
      const next = connections.get(socket)?.shift();
      if (next && !socket.destroyed) setImmediate(() => start(socket, next));
      else connections.delete(socket);
    });
    begin();
  };
  return ({ raw: { socket } }: FastifyRequest, reply: FastifyReply, begin: () => void): void => {
    const waiting = connections.get(socket);
    if (socket.destroyed) return;
    if (waiting) {
      waiting.push({ reply, begin });
      if (waiting.length > mostPipelined) {
        stopParsing(socket);
        socket.destroy();
      }
      return;
    }
    connections.set(socket, []);
    start(socket, { reply, begin });
  };
}

/** A small response does not count as unread, because most of it fits into the buffers of the operating system. */
export function limitUnread(
  { shares }: Admission,
  request: FastifyRequest,
  { raw: response }: FastifyReply,
  body: unknown,
): void {
  const length = Buffer.byteLength((body ?? '') as string | Buffer);
  if (length <= smallResponse || response.destroyed) return;
  const release = shares.responses.hold(sharesAs(request), length, () => request.raw.socket.destroy());
  response.once('close', release);
}

/**
 * Stops Node's parser, which could otherwise create thousands of requests from a packet of a closed connection. Node
 * has no public API for this.
 */
function stopParsing(socket: Socket): void {
  const { parser } = socket as { parser?: { onIncoming?: () => number } | null };
  // Node's parser stops if `onIncoming` returns 2.
  if (parser) parser.onIncoming = () => 2;
}

const headersTooLarge: Problem = {
  ...problem('too_large', 'The request line and headers are larger than 16 KiB: send fewer or shorter ones.'),
  status: 431,
  title: 'Request Header Fields Too Large',
};
const garbage = problem('bad_request', 'The request is not valid HTTP/1.1.');

/** Responds to a connection whose bytes are not a request, if nothing has been sent yet. */
export function answerSocketError(
  error: Error & { code?: string },
  socket: Socket,
  log: FastifyBaseLogger,
): void {
  const document = problemOf(error.code ?? '');
  if (!document || !socket.writable || hasResponse(socket)) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  log.info({ request_id: requestId, method: null, route: null, status: document.status }, 'request');
  socket.end(httpResponse(document, requestId));
  socket.destroySoon();
}

function problemOf(code: string): Problem | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout().problem;
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge;
  return code.startsWith('HPE_') ? garbage : undefined;
}

/** After a response has begun, an error response would become part of the body of the first response. */
function hasResponse(socket: Socket): boolean {
  const { _httpMessage: response } = socket as { _httpMessage?: { headersSent: boolean } | null };
  return response?.headersSent === true;
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

import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type Problem, problem } from '@eaas/protocol/wire';
import type { FastifyBaseLogger } from 'fastify';
import { everyAnswer } from './every-answer.ts';
import { problemText, slowRequest } from './problems.ts';

const headersTooLarge: Problem = {
  ...problem('too_large', 'The request line and headers are larger than 16 KiB: send fewer or shorter ones.'),
  status: 431,
  title: 'Request Header Fields Too Large',
};
const garbage = problem('bad_request', 'The request is not valid HTTP/1.1.');

/** Answers what never became a request: too slow, too large, or not HTTP. */
export function answerSocketError(
  error: Error & { code?: string },
  socket: Socket,
  log: FastifyBaseLogger,
): void {
  const document = problemOf(error.code ?? '');
  if (document && socket.writable && !isAnswering(socket)) {
    const requestId = randomUUID();
    log.info({ request_id: requestId, method: null, route: null, status: document.status }, 'request');
    socket.end(httpAnswer(document, requestId));
    socket.destroySoon();
  } else {
    socket.destroy();
  }
}

function problemOf(code: string): Problem | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return slowRequest;
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge;
  return code.startsWith('HPE_') ? garbage : undefined;
}

/** Whether an answer has begun on the socket: another one in its midst would be taken for its content. */
function isAnswering(socket: Socket): boolean {
  const { _httpMessage: answer } = socket as { _httpMessage?: { headersSent: boolean } | null };
  return answer?.headersSent === true;
}

function httpAnswer(document: Problem, requestId: string): string {
  const body = problemText(document);
  const headers = {
    ...everyAnswer,
    'x-request-id': requestId,
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${document.status} ${STATUS_CODES[document.status]}\r\n${lines.join('')}\r\n${body}`;
}

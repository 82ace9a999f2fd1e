import { type Problem, problem } from '@eaas/protocol/wire';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../refusal.ts';
import { describeError } from './describe-error.ts';

/** The client sends too slowly. 408 has no code of its own: to a program it is one more bad request. */
export class SlowRequest extends Error {
  override readonly name = 'SlowRequest';
}

/** The one place where an error becomes an answer: a refusal says what it is, all else is `internal`. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof Refusal) return sendProblem(request, reply, error.problem);
  if (error instanceof SlowRequest) return sendProblem(request, reply, slowRequest);
  request.log.error({ error: describeError(error) }, 'request failed');
  return sendProblem(request, reply, internal);
}

export const slowRequest: Problem = {
  ...problem('bad_request', 'The request did not arrive in time: send it again, without pauses.'),
  status: 408,
  title: 'Request Timeout',
};

const internal = problem(
  'internal',
  'The service failed in a way that it did not expect. Report the X-Request-Id of this answer to its operator.',
);

function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  request.visit.code = problem.code;
  if (problem.status === 401) void reply.header('www-authenticate', 'Bearer');
  if (problem.status === 408) void reply.header('connection', 'close');
  if (problem.status === 503) void reply.header('retry-after', '1');
  return send(reply.code(problem.status), 'application/problem+json', problemText(problem));
}

/** A problem as JSON. A detail names fields, and somebody may have sent an API key as the name of one. */
export function problemText(problem: Problem): string {
  const detail = problem.detail.replace(/eaas_sk_\w+/g, 'eaas_sk_…').toWellFormed();
  return JSON.stringify({ ...problem, detail });
}

/** Sends text under exactly this content type; to a string fastify would add a charset. */
export function send(reply: FastifyReply, contentType: string, text: string): FastifyReply {
  return reply.header('content-type', contentType).send(Buffer.from(text));
}

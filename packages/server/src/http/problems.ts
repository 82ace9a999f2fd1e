// What a request gets that fails: a problem document. What the log gets of an error: never what could be a secret.
import { Refusal, unexpected } from '@eaas/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { explanationOf } from '../postgres/faults.ts';
import { discardBody } from './body.ts';

/** Responds with the problem document of an error. An error that is no refusal is logged, and becomes a 500. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!(error instanceof Refusal)) {
    request.log.error({ request_id: request.id, error: describeError(error) }, 'request failed');
  }
  const { problem, receipt } = error instanceof Refusal ? error : { problem: unexpected };
  request.visit.code = problem.code;
  discardBody(request.raw);
  if (receipt) void reply.header('eaas-entry', `${receipt.id} ${receipt.hash}`);
  if (problem.status === 401) void reply.header('www-authenticate', 'Bearer');
  if (problem.status === 503) void reply.header('retry-after', '1');
  return send(reply.code(problem.status), 'application/problem+json', JSON.stringify(problem));
}

/**
 * Sends a body with exactly the given content type. Without `serializer`, Fastify would add a charset to the content
 * type of a text.
 */
export function send(reply: FastifyReply, contentType: string, body: string | Uint8Array): FastifyReply {
  return reply.header('content-type', contentType).serializer(String).send(body);
}

/** The parts of an error that are logged: what an operator can do about it, or else where it happened. */
export function describeError(error: unknown, depth = 3): object {
  if (!(error instanceof Error)) return { name: typeof error };
  const { name, message, stack = '', cause } = error;
  const explanation = explanationOf(error);
  const code = 'code' in error && /^\w{1,64}$/.test(String(error.code)) ? String(error.code) : undefined;
  const afterMessage = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : '';
  const frames = afterMessage.split('\n').filter((line) => /^ {4}at /.test(line));
  return {
    name,
    ...(explanation === undefined
      ? { frames: frames.slice(0, 12).map((line) => line.trim()) }
      : { message: explanation }),
    ...(code !== undefined && { code }),
    ...(cause !== undefined && depth > 0 && { cause: describeError(cause, depth - 1) }),
  };
}

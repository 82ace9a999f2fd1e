// Reads the body of a request after its caller was admitted. Fastify is not told that there is one: it would read every body,
// and after a fault it would close the connection, so that a client that still sends could not read the response.
import type { IncomingMessage } from 'node:http';
import { bodyTooLarge, requireBodyType, takesFields } from '@eaas/protocol/internal-service';
import { type Endpoint, limits } from '@eaas/protocol/wire';
import { readInput, Refusal } from '@eaas/service';
import type { FastifyRequest } from 'fastify';

/** How long discarding rests after a piece of at most 64 KiB. */
const discardPause = 25;

/** What a request says about its body. */
export interface Announced {
  readonly type: string | undefined;
  readonly encoding: string | undefined;
  /** How its bytes are framed, if that is not by their number. */
  readonly coding: string | undefined;
  /** Infinity if it does not say. */
  readonly bytes: number;
}

/** Takes what announces a body out of the headers. */
export function takeAnnounced({ headers }: IncomingMessage): Announced {
  const { 'content-type': type, 'content-encoding': encoding, 'content-length': length } = headers;
  const coding = headers['transfer-encoding'];
  const bytes = coding === undefined ? Number(length ?? 0) : Infinity;
  for (const name of ['content-type', 'content-length', 'transfer-encoding']) delete headers[name];
  return { type, encoding, coding, bytes };
}

/** Reads what a request has beside its path, by the schemas of its endpoint. Throws Refusal 415, 413 and 400, in this order. */
export async function readFields(
  endpoint: Pick<Endpoint, 'body' | 'query' | 'item'>,
  { raw, visit: { body: announced } }: FastifyRequest,
  limit: number = limits.body,
): Promise<object> {
  const { type, encoding, bytes } = announced;
  // The type is judged before the body arrives.
  if (bytes > 0) requireBodyType(type, encoding, takesFields(endpoint));
  const body = bytes === 0 ? new Uint8Array() : await readBody(raw, bytes, limit);
  return readInput(endpoint, { url: raw.url ?? '', body });
}

function readBody(request: IncomingMessage, bytes: number, limit: number): Promise<Uint8Array> {
  if (bytes !== Infinity && bytes > limit) throw bodyTooLarge(limit);
  if (request.destroyed) throw bodyCut();
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    const take = (piece: Buffer): void => {
      length += piece.length;
      if (length <= limit) pieces.push(piece);
      else fail(bodyTooLarge(limit));
    };
    const fail = (fault: Refusal): void => {
      stop();
      reject(fault);
    };
    const cut = (): void => fail(bodyCut());
    const end = (): void => {
      stop();
      resolve(Buffer.concat(pieces, length));
    };
    const stop = (): void =>
      void request.off('data', take).off('end', end).off('error', cut).off('close', cut);
    request.on('data', take).on('end', end).on('error', cut).on('close', cut);
  });
}

const bodyCut = (): Refusal =>
  new Refusal('bad_request', 'The connection was closed before the whole request body arrived.');

/**
 * Discards the rest of a refused request's body, so that the client can read the response. It rests after each piece:
 * a flood of refused uploads would otherwise keep the event loop from everybody else.
 */
export function discardBody(request: IncomingMessage): void {
  if (request.complete || request.listenerCount('data') > 0) return;
  const rest = (): void => {
    request.pause();
    setTimeout(() => request.resume(), discardPause).unref();
  };
  request
    .on('data', rest)
    .on('error', () => {})
    .resume();
}

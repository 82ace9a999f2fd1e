// Reads the body of a request after its caller was admitted. Fastify is not told that there is one: it would read every body
// before its tenant's turn, and after a fault it would close the connection, so that a client that still sends could not read the response.
import type { IncomingMessage } from 'node:http';
import { bodyTooLarge } from '@eaas/protocol/internal-service';
import { Refusal } from '@eaas/service';

/** How long discarding rests after a piece of at most 64 KiB. */
const discardPause = 25;

/**
 * What a request says about its body. `bytes` is Infinity if it does not say how many there are, and `coding` says how they
 * are framed then.
 */
export type Announced = Readonly<ReturnType<typeof takeAnnounced>>;

/** Takes what announces a body out of the headers. */
export function takeAnnounced({ headers }: IncomingMessage) {
  const { 'content-type': type, 'content-encoding': encoding, 'content-length': length } = headers;
  const coding = headers['transfer-encoding'];
  const bytes = coding === undefined ? Number(length ?? 0) : Infinity;
  // To delete them would make each look at the headers slow.
  headers['content-type'] = undefined;
  headers['content-length'] = undefined;
  headers['transfer-encoding'] = undefined;
  return { type, encoding, coding, bytes };
}

/**
 * Waits for a body, and goes on once with a function that returns it. That function throws Refusal 413 for a longer one than
 * `limit`, and 400 for one that was cut.
 */
export function readBody(
  request: IncomingMessage,
  bytes: number,
  limit: number,
  then: (bodyOf: () => Uint8Array) => void,
): void {
  const fail = (fault: Refusal): void =>
    then(() => {
      throw fault;
    });
  if (bytes === 0) return then(() => new Uint8Array());
  if (bytes !== Infinity && bytes > limit) return fail(bodyTooLarge(limit));
  if (request.destroyed) return fail(bodyCut());
  const pieces: Buffer[] = [];
  let length = 0;
  const stop = (): void => void request.off('data', take).off('end', end).off('error', cut).off('close', cut);
  const take = (piece: Buffer): void => {
    length += piece.length;
    pieces.push(piece);
    // Node's own `end` comes a turn later.
    if (length === bytes) return end();
    if (length <= limit) return;
    stop();
    fail(bodyTooLarge(limit));
  };
  const cut = (): void => {
    stop();
    fail(bodyCut());
  };
  const end = (): void => {
    stop();
    const [first] = pieces;
    then(() => (first && pieces.length === 1 ? first : Buffer.concat(pieces, length)));
  };
  request.on('data', take).on('end', end).on('error', cut).on('close', cut);
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

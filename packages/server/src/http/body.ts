// Admits the body of a request by its bytes before Fastify reads it. How fast it must arrive, Node says for the whole
// request. A body that fails ends early instead, with its fault: after an error of its parser, Fastify closes the
// connection, and a client that still sends would be reset before it can read the response.
import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { bodyCut, bodyTooLarge } from '@eaas/protocol/service';
import { type Admission, smallBody } from '../admission/admission.ts';
import type { EndSignal } from '../base/waiting-room.ts';

/** How long discarding rests after a piece of at most 64 KiB. */
const discardPause = 25;

/** Whose share of the memory a body takes, until the call ends. */
export interface BodyOwner {
  readonly shares: Pick<Admission['shares'], 'small_bodies' | 'large_bodies'>;
  readonly tenantId: string;
  readonly signal: EndSignal;
}

/** Whether the request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || lengthOf(headers) > 0;
}

const lengthOf = (headers: IncomingMessage['headers']): number => Number(headers['content-length'] ?? 0);

/** A body as Fastify reads it. */
export interface Body extends Readable {
  fault?: unknown;
  /** Fastify compares this with the announced length. */
  receivedEncodedLength?: number;
}

/** Reserves memory for a body of at most `limit` bytes, and returns the stream to read it from. */
export async function admitBody(request: IncomingMessage, limit: number, owner: BodyOwner): Promise<Body> {
  const announced = lengthOf(request.headers);
  if (announced > limit) throw bodyTooLarge(limit);
  const isLarge = announced > smallBody;
  await reserve(owner, isLarge ? 'large_bodies' : 'small_bodies', announced || smallBody);
  // A small body has mostly arrived with its headers. Node sets `complete` only after it has run the promises that wait.
  const hasArrived = request.complete || (announced > 0 && request.readableLength >= announced);
  if (hasArrived) return request;
  return watched(request, limit, isLarge, () => reserve(owner, 'large_bodies', limit));
}

async function reserve(
  { shares, tenantId, signal }: BodyOwner,
  share: keyof BodyOwner['shares'],
  bytes: number,
): Promise<void> {
  const release = await shares[share].take(tenantId, bytes, signal);
  if (signal.aborted) release();
  else signal.addEventListener('abort', release);
}

/** Passes the body on, and ends it if it becomes too large or is cut. */
function watched(
  request: IncomingMessage,
  limit: number,
  isLargeFromStart: boolean,
  reserveMore: () => Promise<void>,
): Body {
  let isLarge = isLargeFromStart;
  let length = 0;
  const body: Body & Transform = new Transform({
    transform(chunk: Buffer, _, done) {
      length += chunk.length;
      const pass = (): void => (body.fault === undefined ? done(null, chunk) : done());
      if (length > limit) fail(bodyTooLarge(limit));
      if (body.fault !== undefined) pass();
      else if (length > smallBody && !isLarge) {
        isLarge = true;
        reserveMore().catch(fail).then(pass, done);
      } else pass();
    },
  });
  const fail = (fault: unknown): void => {
    if (body.readableEnded) return;
    body.fault ??= fault;
    body.receivedEncodedLength = lengthOf(request.headers);
    body.push(null);
  };
  const cut = (): void => {
    if (!request.readableEnded) fail(bodyCut());
  };
  request.on('error', cut).on('close', cut);
  // The request is unpiped when it has ended, and when the rest of it is discarded.
  body.once('unpipe', () => {
    if (!body.writableFinished) body.destroy();
  });
  return request.pipe(body);
}

/**
 * Discards the rest of a refused request's body, so that the client can read the response. It rests after each piece:
 * a flood of refused uploads would otherwise keep the event loop from everybody else.
 */
export function discardBody(request: IncomingMessage): void {
  request.unpipe();
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

// Admits the body of a request by its bytes before Fastify reads it, and watches how it arrives. A body that fails ends
// early instead, with its fault: after an error of its parser, Fastify closes the connection, and a client that still
// sends would be reset before it can read the response.
import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { bodyCut, bodyTooLarge, requestTimeout } from '@eaas/protocol/service';
import { type Admission, smallBody } from '../admission/admission.ts';
import type { EndSignal } from '../base/waiting-room.ts';
import { timeLimit } from '../base/time-limit.ts';

/** Whose share of the memory a body takes, until the call ends. */
export interface BodyOwner {
  readonly shares: Pick<Admission['shares'], 'small_bodies' | 'large_bodies'>;
  readonly tenantId: string;
  readonly signal: EndSignal;
}

const longestPause = 4_000;
/** At least 1 MB of a large body must arrive in each period of 2 s. The first two periods have no minimum. */
const [leastBytes, window] = [1_000_000, 2_000];

const longestBurst = 128 * 1024;
const discardPause = 50;

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

/** Passes the body on in bursts, and ends it if it becomes too large, pauses, is too slow or is cut. */
function watched(
  request: IncomingMessage,
  limit: number,
  isLargeFromStart: boolean,
  reserveMore: () => Promise<void>,
): Body {
  let isLarge = isLargeFromStart;
  let length = 0;
  let burst = 0;
  let pace: NodeJS.Timeout | undefined;
  const body: Body & Transform = new Transform({
    transform(chunk: Buffer, _, done) {
      pause.refresh();
      length += chunk.length;
      burst += chunk.length;
      const pass = (): void => (body.fault === undefined ? done(null, chunk) : done());
      if (length > limit) fail(bodyTooLarge(limit));
      if (body.fault !== undefined) pass();
      else if (length > smallBody && !isLarge) becomeLarge().catch(fail).then(pass, done);
      else if (burst < longestBurst) pass();
      else {
        burst = 0;
        setImmediate(pass);
      }
    },
  });
  const fail = (fault: unknown): void => {
    if (body.readableEnded) return;
    body.fault ??= fault;
    body.receivedEncodedLength = lengthOf(request.headers);
    body.push(null);
  };
  const becomeLarge = async (): Promise<void> => {
    isLarge = true;
    await reserveMore();
    if (!body.destroyed) keepPace();
  };
  const keepPace = (): void => {
    let windows = 0;
    let before = length;
    pace = setInterval(() => {
      windows++;
      if (windows > 2 && length - before < leastBytes) fail(requestTimeout());
      before = length;
    }, timeLimit(window));
  };
  const pause = setTimeout(() => fail(requestTimeout()), timeLimit(longestPause));
  const cut = (): void => {
    if (!request.readableEnded) fail(bodyCut());
  };
  if (isLarge) keepPace();
  request.on('error', cut).on('close', cut);
  // The request is unpiped when it has ended, and when the rest of it is discarded.
  body.once('unpipe', () => {
    clearTimeout(pause);
    clearInterval(pace);
    if (!body.writableFinished) body.destroy();
  });
  return request.pipe(body);
}

/**
 * Discards the rest of a refused request's body, so that the client can read the response. The reads are slow, so that
 * a flood of refused uploads cannot block the event loop.
 */
export function discardBody(request: IncomingMessage): void {
  request.unpipe();
  if (request.complete || request.listenerCount('data') > 0) return;
  let burst = 0;
  request
    .on('data', (chunk: Buffer) => {
      burst += chunk.length;
      if (burst < longestBurst) return;
      burst = 0;
      request.pause();
      setTimeout(() => request.resume(), discardPause).unref();
    })
    .on('error', () => {})
    .resume();
}

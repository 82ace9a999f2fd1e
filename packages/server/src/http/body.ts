import type { IncomingMessage } from 'node:http';
import {
  bodyCut,
  bodyTooLarge,
  parseBody,
  requestTimeout,
  requireBodyType,
  takesFields,
} from '@eaas/protocol/service';
import { type Endpoint, limits } from '@eaas/protocol/wire';
import { type Admission, smallBody } from '../admission/admission.ts';
import type { EndSignal } from '../base/call-end.ts';

export interface BodyOwner {
  readonly shares: Pick<Admission['shares'], 'small_bodies' | 'large_bodies'>;
  readonly tenantId: string;
  readonly signal: EndSignal;
}

const longestPause = 4_000;
/** At least 1 MB of a large body must arrive in each period of 2 s. The first two periods have no minimum. */
const [leastBytes, window] = [1_000_000, 2_000];

const longestBurst = 128 * 1024;
/** A longer body waits for a turn of its tenant, because its parsing can take more than a millisecond. */
const parsedAtOnce = 16 * 1024;
const discardPause = 50;

export async function readJsonBody(
  endpoint: Endpoint,
  request: IncomingMessage,
  owner: BodyOwner & { readonly turns: Admission['turns'] },
): Promise<unknown> {
  const { 'content-type': type, 'content-encoding': encoding, ...headers } = request.headers;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasBody) return {};
  requireBodyType({ type, encoding }, takesFields(endpoint));
  const bytes = await readBody(request, limits.body, owner);
  if (bytes.length === 0) return {};
  if (bytes.length <= parsedAtOnce) return parseBody(endpoint, bytes);
  return owner.turns.call(owner.tenantId, () => parseBody(endpoint, bytes), { signal: owner.signal });
}

export async function readBody(request: IncomingMessage, limit: number, owner: BodyOwner): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? Number.NaN);
  if (announced > limit) throw bodyTooLarge(limit);
  const isLarge = announced > smallBody;
  await reserve(owner, isLarge ? 'large_bodies' : 'small_bodies', announced || smallBody);
  const room = isLarge ? Buffer.allocUnsafeSlow(announced) : undefined;
  return receive(request, limit, room, () => reserve(owner, 'large_bodies', limit));
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

function receive(
  request: IncomingMessage,
  limit: number,
  room: Buffer | undefined,
  reserveMore: () => Promise<void>,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let isLarge = room !== undefined;
    let length = 0;
    const countBurst = pauseAfterBursts(request, setImmediate);
    let pace: NodeJS.Timeout | undefined;
    const pause = setTimeout(() => fail(requestTimeout()), longestPause);
    const keepPace = (): void => {
      let windows = 0;
      let before = length;
      pace = setInterval(() => {
        windows++;
        if (windows > 2 && length - before < leastBytes) fail(requestTimeout());
        before = length;
      }, window);
    };
    const becomeLarge = async (): Promise<void> => {
      isLarge = true;
      request.pause();
      await reserveMore();
      keepPace();
      request.resume();
    };
    const take = (chunk: Buffer): void => {
      pause.refresh();
      if (room) chunk.copy(room, length);
      else chunks.push(chunk);
      length += chunk.length;
      countBurst(chunk);
      if (length > limit) fail(bodyTooLarge(limit));
      else if (length > smallBody && !isLarge) becomeLarge().catch(fail);
    };
    const end = (): void => {
      stop();
      resolve(room ? room.subarray(0, length) : Buffer.concat(chunks, length));
    };
    const cut = (): void => fail(bodyCut());
    const stop = (): void => {
      clearTimeout(pause);
      clearInterval(pace);
      request.off('data', take).off('end', end).off('error', cut).off('close', cut);
    };
    const fail = (error: unknown): void => {
      stop();
      discardBody(request);
      reject(error);
    };
    if (isLarge) keepPace();
    request.on('data', take).on('end', end).on('error', cut).on('close', cut);
  });
}

/**
 * Discards the rest of a refused request's body, so that the client can read the response. The reads are slow, so that
 * a flood of refused uploads cannot block the event loop.
 */
export function discardBody(request: IncomingMessage): void {
  if (request.complete || request.listenerCount('data') > 0) return;
  const later = (resume: () => void) => setTimeout(resume, discardPause).unref();
  request
    .on('data', pauseAfterBursts(request, later))
    .on('error', () => {})
    .resume();
}

function pauseAfterBursts(request: IncomingMessage, later: (resume: () => void) => unknown) {
  let burst = 0;
  return (chunk: Buffer): void => {
    burst += chunk.length;
    if (burst < longestBurst) return;
    burst = 0;
    request.pause();
    later(() => request.resume());
  };
}

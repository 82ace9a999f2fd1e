// One request to a witness. A witness is a stranger, so its response is short, comes soon, and is text, or it is none.
import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { timeLimit } from '@eaas/server/internal';

/** The longest time for all that one witness is asked in a round, in milliseconds. */
const patience = 5_000;
/** The longest response, in bytes: the lines of sixteen keys of ML-DSA-44 fit. */
const longestResponse = 65_536;

/** Why a witness was of no use in a round. It never contains what the witness sent. */
export class WitnessFailed extends Error {
  override readonly name = 'WitnessFailed';
}

export interface Exchange {
  readonly status: number;
  readonly text: string;
}

/** Runs calls with one time limit for all of them. Timers of our own, because Node 20 can lose `AbortSignal.timeout`. */
export async function inTime<T>(
  stopping: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const stop = (): void => ending.abort(new WitnessFailed('the server is stopping'));
  const timer = setTimeout(
    () => ending.abort(new WitnessFailed(`it did not respond within ${timeLimit(patience) / 1000} s`)),
    timeLimit(patience),
  );
  stopping.addEventListener('abort', stop);
  if (stopping.aborted) stop();
  try {
    return await work(ending.signal);
  } finally {
    clearTimeout(timer);
    stopping.removeEventListener('abort', stop);
  }
}

/** Sends a request, and follows no redirect. Throws WitnessFailed. */
export function exchange(url: URL, signal: AbortSignal, body?: string): Promise<Exchange> {
  const bytes = body === undefined ? undefined : Buffer.from(body);
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestSecure : requestPlain)(url, {
      method: bytes ? 'POST' : 'GET',
      agent: false,
      headers: {
        'accept-encoding': 'identity',
        ...(bytes && { 'content-type': 'text/plain; charset=utf-8', 'content-length': bytes.length }),
      },
    });
    const fail = (reason: string): void => {
      reject(new WitnessFailed(reason));
      request.destroy();
    };
    const stop = (): void => {
      reject(signal.reason as Error);
      request.destroy();
    };
    signal.addEventListener('abort', stop);
    request.on('error', ({ code }: NodeJS.ErrnoException) =>
      fail(`it cannot be reached (${code ?? 'no code'})`),
    );
    request.on('close', () => {
      signal.removeEventListener('abort', stop);
      fail('it ended the connection');
    });
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > longestResponse) fail(`it sent more than ${longestResponse} bytes`);
      });
      response.on('error', () => fail('it ended the connection'));
      response.on('end', () => {
        try {
          const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
            Buffer.concat(chunks),
          );
          resolve({ status: response.statusCode ?? 0, text });
        } catch {
          fail('it sent bytes that are no text');
        }
      });
    });
    if (signal.aborted) stop();
    else request.end(bytes);
  });
}

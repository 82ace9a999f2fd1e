// Requests to hosts of others: those with the public keys of sign-ins, and the witnesses of a public log. A host is a
// stranger, so its response is short and comes soon, or it is none.
import { request as plain } from 'node:http';
import { request as encrypted, type RequestOptions } from 'node:https';
import { limits } from '@eaas/protocol/wire';
import { Explained } from './explained.ts';

/** Says why a host was of no use, for the log. It never contains what the host sent. */
export class HostFailed extends Explained {
  override readonly name = 'HostFailed';
}

/** The longest response, in bytes. The cosignatures of sixteen keys of ML-DSA-44 fit too. */
const longest = limits.keySet;

interface HostRequest extends RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** How reasons name the host. */
  readonly who: string;
  /** The only status whose response is read. By default, each is. */
  readonly status?: number;
}

/** Sends a request on a connection of its own, and follows no redirect. Throws HostFailed. */
export function askHost(
  url: URL,
  { who, status: wanted, headers, ...options }: HostRequest,
  body?: string,
): Promise<{ readonly status: number; readonly bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? encrypted : plain)(url, {
      ...options,
      agent: false,
      headers: { ...headers, 'accept-encoding': 'identity' },
    });
    const fail = (reason: string): void => {
      reject(new HostFailed(`${who} ${reason}`));
      request.destroy();
    };
    request.on('error', ({ code }: NodeJS.ErrnoException) =>
      fail(`cannot be reached (${code ?? 'no code'})`),
    );
    request.on('close', () => fail('ended the connection'));
    request.on('response', (response) => {
      const { statusCode: status = 0 } = response;
      if (wanted !== undefined && status !== wanted) return fail(`responded with the status ${status}`);
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > longest) fail(`sent more than ${longest} bytes`);
      });
      response.on('end', () => resolve({ status, bytes: Buffer.concat(chunks) }));
    });
    request.end(body);
  });
}

/**
 * Runs work with one time limit for all of it, even for what does not listen to the signal. Throws HostFailed with `late` if
 * the time is over. A timer of our own, because Node 20 can lose `AbortSignal.timeout`.
 */
export async function inTime<T>(
  milliseconds: number,
  late: string,
  work: (signal: AbortSignal) => Promise<T>,
  stopping?: AbortSignal,
): Promise<T> {
  const ending = new AbortController();
  const { signal } = ending;
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
  const stop = (): void => ending.abort(new HostFailed('the server is stopping'));
  const timer = setTimeout(() => ending.abort(new HostFailed(late)), milliseconds);
  stopping?.addEventListener('abort', stop);
  if (stopping?.aborted) stop();
  try {
    return await Promise.race([ended, work(signal)]);
  } finally {
    clearTimeout(timer);
    stopping?.removeEventListener('abort', stop);
  }
}

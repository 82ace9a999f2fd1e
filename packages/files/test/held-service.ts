import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening } from '@eaas/test-kit/listening';
import { onTestFinished } from 'vitest';

export interface HeldService {
  readonly baseUrl: string;
  /** Resolves when so many requests wait for `release`. */
  waiting(count: number): Promise<void>;
  release(): void;
}

/** Stands between a command and its service, and holds the requests to matching paths until `release`. */
export async function holdRequests(baseUrl: string, paths: RegExp): Promise<HeldService> {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let arrived = 0;
  let notify = (): void => {};
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request;
    const body = Buffer.concat(await request.toArray());
    if (paths.test(url)) {
      arrived++;
      notify();
      await released;
    }
    const answer = await fetch(new URL(url, baseUrl), {
      method,
      headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
      ...(body.length > 0 && { body }),
    });
    const type = answer.headers.get('content-type') ?? '';
    response.writeHead(answer.status, { 'content-type': type }).end(await answer.text());
  };
  const server = createServer((request, response) => void pass(request, response));
  onTestFinished(release);
  return {
    baseUrl: `http://127.0.0.1:${await listening(server)}`,
    waiting: (count) =>
      new Promise((resolve) => {
        notify = () => {
          if (arrived >= count) resolve();
        };
        notify();
      }),
    release,
  };
}

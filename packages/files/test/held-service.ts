import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening } from '@eaas/test-kit/listening';
import { onTestFinished } from 'vitest';

/** Stands between a command and its service, and holds the requests to matching paths until `release`. */
export async function holdRequests(baseUrl: string, paths: RegExp) {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let arrive = (): void => {};
  const waiting = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request;
    const body = Buffer.concat(await request.toArray());
    if (paths.test(url)) {
      arrive();
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
    /** Resolves when a request waits for `release`. */
    waiting,
    release,
  };
}

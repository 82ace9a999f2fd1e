import type { EnvelopeClient } from '@eaas/sdk';
import { type BrowserClientOptions, createBrowserClient } from '@eaas/sdk/browser';
import { createProxy, type Grant, type ProxyEvent } from '@eaas/sdk/proxy';

const app = 'https://app.example';

interface Service {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly keyId: string;
  readonly grants: Readonly<Record<string, Grant>>;
}

export function openSessions({ baseUrl, apiKey, keyId, grants }: Service) {
  const events: ProxyEvent[] = [];
  const bodies: string[] = [];
  const proxy = createProxy({
    baseUrl,
    apiKey,
    origin: app,
    authorize: (request) => grants[/^session=(\w+)$/.exec(request.headers.get('cookie') ?? '')?.[1] ?? ''],
    onEvent: (event) => events.push(event),
  });
  const send = async (session: string, request: Request): Promise<Response> => {
    request.headers.set('cookie', `session=${session}`);
    request.headers.set('origin', app);
    request.headers.set('sec-fetch-site', 'same-origin');
    bodies.push(await request.clone().text());
    return proxy(request);
  };
  const page = (
    session: string,
    options: BrowserClientOptions = {},
    alter: (response: Response) => Response | Promise<Response> = (response) => response,
  ): EnvelopeClient =>
    createBrowserClient({
      proxyUrl: `${app}/api/eaas`,
      keyId,
      retries: 0,
      fetch: async (input, init) => alter(await send(session, new Request(input, init))),
      ...options,
    });
  const post = async (session: string, path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await send(session, new Request(`${app}/api/eaas${path}`, init));
    return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
  };
  return { page, post, events, bodies };
}

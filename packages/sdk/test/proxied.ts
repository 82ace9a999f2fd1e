import { expect } from 'vitest';
import { createProxy, type ProxyGrant, type ProxyEvent, type ProxyOptions } from '@eaas/sdk/proxy';

export const key = '00000000-0000-4000-8000-00000000000a';
export const otherKey = '00000000-0000-4000-8000-00000000000b';
export const apiKey = `eaas_sk_${'0'.repeat(49)}`;
export const dek = `${'A'.repeat(43)}=`;
export const all: ProxyGrant = { keys: [key], operations: ['wrap', 'unwrap', 'rewrap', 'hash'] };
export const wrapped = { wrapped_key: 'AQ==', key_id: key, key_version: 1 };

/**
 * Returns a handler that responds to a batch with `results`. Each result gets the reference of the item in the same
 * place.
 */
export function batchAnswer(results: readonly object[]): (body: unknown) => Response {
  return (body) => {
    const { items } = body as { items: { reference: string }[] };
    return Response.json({
      results: results.map((result, index) => ({ ...result, reference: items[index]?.reference })),
    });
  };
}

/** The items of a batch as the proxy sends them to the service. */
export function referenced(items: readonly object[]): object[] {
  return items.map((item) => ({ ...item, reference: expect.stringMatching(/^\d{1,10}$/) as string }));
}

interface Sent {
  readonly url: string;
  readonly headers: Headers;
  readonly body: unknown;
}

export function setUp(
  options: Partial<ProxyOptions> = {},
  answer: (body: unknown) => Response = () => Response.json(wrapped),
) {
  const sent: Sent[] = [];
  const events: ProxyEvent[] = [];
  const proxy = createProxy({
    baseUrl: 'https://keys.example/',
    apiKey,
    authorize: () => all,
    onEvent: (event) => events.push(event),
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const body: unknown = await request.json();
      sent.push({ url: request.url, headers: request.headers, body });
      return answer(body);
    },
    ...options,
  });
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await proxy(
      new Request(`https://app.example${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    );
    const text = await response.text();
    return { status: response.status, headers: response.headers, json: JSON.parse(text) as unknown, text };
  };
  return { proxy, sent, events, post };
}

export const wrapPath = `/api/eaas/v1/keys/${key}/wrap`;

import { nobleEngine } from '@eaas/protocol';
import { createTestService, type TestService } from '@eaas/local';
import { EaasClient, type EaasClientOptions, type EaasEvent, type Settled } from '../src/index.ts';

export async function observedClient(options: Partial<EaasClientOptions> = {}) {
  const service = createTestService();
  const { key_id: keyId } = await service.createKey('fields');
  const events: EaasEvent[] = [];
  const make = (more: Partial<EaasClientOptions> = {}): EaasClient =>
    new EaasClient({ ...service, keyId, onEvent: (event) => events.push(event), ...options, ...more });
  return { service, keyId, events, make, client: make() };
}

/** A client whose requests are kept as they are sent. */
export async function spiedClient() {
  const { service, make, ...observed } = await observedClient();
  const sent: { url: string; path: string; body: Record<string, unknown> }[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const text = await request.clone().text();
    const path = new URL(request.url).pathname.replace(/.*\//, '');
    sent.push({ url: request.url, path, body: JSON.parse(text || '{}') as Record<string, unknown> });
    return service.fetch(request);
  };
  const makeSpied = (more: Partial<EaasClientOptions> = {}): EaasClient => make({ fetch, ...more });
  return { ...observed, service, sent, make: makeSpied, client: makeSpied() };
}

export const routesOf = ({ requests }: TestService): string[] =>
  requests.map(({ route }) => (route ?? '').replace(/^\w+ \/v1\//, ''));

export const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

/** The values of a call for many. Throws the first error. */
export const valuesOf = <T>(results: readonly Settled<T>[]): T[] =>
  results.map((result) => {
    if (result.ok) return result.value;
    throw result.error;
  });

/** The value of each result, or the code of its error. */
export const outcomesOf = <T>(results: readonly Settled<T>[]) =>
  results.map((result) => (result.ok ? result.value : result.error.code));

export async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(stream as BodyInit).arrayBuffer());
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const realSetImmediate = setImmediate;

/**
 * Waits until the responses of the test service have arrived. The function counts turns of the event loop. A time limit
 * would be too short on a busy machine.
 */
export async function arrivals(turns = 50): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => realSetImmediate(resolve));
}

export function watchedEngine() {
  const keys: Uint8Array[] = [];
  const given: Uint8Array[] = [];
  const importKey = (key: Uint8Array): Uint8Array => {
    given.push(key);
    const own = nobleEngine.importKey(key);
    keys.push(own);
    return own;
  };
  const engine: typeof nobleEngine = { ...nobleEngine, importKey };
  return {
    keys,
    live: () => keys.filter((key) => key.some(Boolean)),
    /** What the data keys were imported from, and nobody has overwritten. */
    left: () => given.filter((key) => key.some(Boolean)),
    engines: { values: engine, sync: engine, streams: engine },
  };
}

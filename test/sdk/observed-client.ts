import { nobleEngine } from '@eaas/protocol';
import { EaasClient, type EaasClientOptions, type EaasEvent } from '../../packages/sdk/src/index.ts';
import { createTestService, type TestService } from '../../packages/sdk/src/testing/testing.ts';

/** Creates a client of a service in memory, its events, and a function that creates more clients of the same service. */
export function observedClient(options: Partial<EaasClientOptions> = {}) {
  const service = createTestService();
  const keyId = service.createKey('fields').key_id;
  const events: EaasEvent[] = [];
  const make = (more: Partial<EaasClientOptions> = {}): EaasClient =>
    new EaasClient({ ...service, keyId, onEvent: (event) => events.push(event), ...options, ...more });
  return { service, keyId, events, make, client: make() };
}

/** Returns the routes of the requests to a service, without method and `/v1`. */
export const routesOf = ({ requests }: TestService): string[] =>
  requests.map(({ route }) => (route ?? '').replace(/^\w+ \/v1\//, ''));

export const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

const realSetTimeout = setTimeout;

/** Waits until pending responses have arrived, without advancing a fake clock. */
export const arrivals = (milliseconds = 50): Promise<void> =>
  new Promise((resolve) => realSetTimeout(resolve, milliseconds));

/** Creates engines that record their keys. */
export function watchedEngine() {
  const keys: Uint8Array[] = [];
  const importKey = (key: Uint8Array): Uint8Array => {
    const own = nobleEngine.importKey(key);
    keys.push(own);
    return own;
  };
  const engine: typeof nobleEngine = { ...nobleEngine, importKey };
  return {
    keys,
    /** Returns the keys that are not overwritten. */
    live: () => keys.filter((key) => key.some((byte) => byte !== 0)),
    engines: { values: engine, sync: engine, streams: engine },
  };
}

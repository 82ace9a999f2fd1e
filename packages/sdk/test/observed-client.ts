import { nobleEngine } from '@eaas/protocol';
import { createTestService, type TestService } from '@eaas/local';
import { EaasClient, type EaasClientOptions, type EaasEvent } from '../src/index.ts';

export function observedClient(options: Partial<EaasClientOptions> = {}) {
  const service = createTestService();
  const keyId = service.createKey('fields').key_id;
  const events: EaasEvent[] = [];
  const make = (more: Partial<EaasClientOptions> = {}): EaasClient =>
    new EaasClient({ ...service, keyId, onEvent: (event) => events.push(event), ...options, ...more });
  return { service, keyId, events, make, client: make() };
}

export const routesOf = ({ requests }: TestService): string[] =>
  requests.map(({ route }) => (route ?? '').replace(/^\w+ \/v1\//, ''));

export const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

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
  const importKey = (key: Uint8Array): Uint8Array => {
    const own = nobleEngine.importKey(key);
    keys.push(own);
    return own;
  };
  const engine: typeof nobleEngine = { ...nobleEngine, importKey };
  return {
    keys,
    live: () => keys.filter((key) => key.some((byte) => byte !== 0)),
    engines: { values: engine, sync: engine, streams: engine },
  };
}

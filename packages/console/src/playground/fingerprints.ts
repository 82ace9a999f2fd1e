import type { Input } from '@eaas/protocol/wire';
import type { EaasClient } from '@eaas/sdk';
import type { Exchange } from './exchanges.ts';

export interface Fingerprints {
  readonly value: string;
  readonly hashes: readonly [string, string];
}

export async function fingerprintTwice(
  eaas: Pick<EaasClient, 'blindHash'>,
  value: string,
): Promise<Fingerprints> {
  // Waits for the first call before the second call. If both calls ran at the same time, the client would send the
  // value only once, but the page must show two requests.
  const first = await eaas.blindHash(value);
  return { value, hashes: [first, await eaas.blindHash(value)] };
}

export function elementsIn(exchanges: readonly Exchange[]): string[] {
  return exchanges
    .filter(({ path, status }) => path.endsWith('/hash/blind') && status === 200)
    .flatMap(({ request }) => (JSON.parse(request) as Input<'POST /v1/hash/blind'>).elements);
}

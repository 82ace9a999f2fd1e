import { EaasClient, type EaasError } from '@eaas/sdk';
import type { Settings } from './case.ts';

export interface Asked extends Settings {
  /** Of a value that another request has encrypted. */
  readonly ciphertext?: string | undefined;
  /** Milliseconds after which the request gives up and ends: sooner than the service answers. */
  readonly patience?: number | undefined;
}

interface Answered {
  readonly ciphertext?: string;
  readonly text?: string;
  readonly code?: string;
}

/** One client for all requests, as a worker has it that uses its data keys again. */
let shared: EaasClient | undefined;

/** Answers one request. What it leaves unfinished, its runtime ends with it: its calls of the service, its timers. */
export async function run({ ciphertext: given, patience, ...settings }: Asked): Promise<Answered> {
  const { baseUrl, apiKey = '', keyId } = settings;
  const slowly: typeof fetch = async (input, init) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return fetch(input, init);
  };
  shared ??= new EaasClient({
    baseUrl,
    apiKey,
    keyId,
    fetch: slowly,
    cache: 'serverless',
    timeouts: { total: 1_000, attempt: 1_000 },
  });
  const signal = patience === undefined ? undefined : AbortSignal.timeout(patience);
  try {
    const { ciphertext } = await shared.encrypt('a secret', { signal });
    return { ciphertext, text: await shared.decryptText(given ?? ciphertext, { signal }) };
  } catch (error) {
    return { code: (error as EaasError).code };
  }
}

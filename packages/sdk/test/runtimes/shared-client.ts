import { EaasClient, type EaasError } from '@eaas/sdk';
import type { Settings } from '@eaas/test-kit/runtimes/case';

export interface ProxyCall extends Settings {
  /** The milliseconds after which the client aborts a request. */
  readonly patience?: number | undefined;
}

interface Answered {
  readonly text?: string;
  readonly code?: string;
}

let shared: EaasClient | undefined;

export async function run({ patience, ...settings }: ProxyCall): Promise<Answered> {
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
    timeouts: { total: 5_000, attempt: 5_000 },
  });
  const signal = patience === undefined ? undefined : AbortSignal.timeout(patience);
  try {
    const ciphertext = await shared.encrypt('a secret', { signal });
    return { text: await shared.decrypt(ciphertext, { as: 'text', signal }) };
  } catch (error) {
    return { code: (error as EaasError).code };
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { EaasClient, ServiceError } from '@eaas/sdk';
import type { Findings } from '../../trial.ts';
import type { UnderLoad } from '../under-load.ts';
import type { HighAvailability } from '../../machine/patroni/high-availability.ts';

const pause = 200;

/**
 * Encrypts and decrypts with the SDK until the returned function is called. One client has its data keys in memory. The
 * other client requests a new data key for each value.
 */
export async function useSdk(
  findings: Findings,
  bench: UnderLoad<HighAvailability>,
): Promise<() => Promise<void>> {
  const [loaded] = bench.loaded;
  if (!loaded) throw new Error('the bench must have a tenant (got none)');
  const options = {
    baseUrl: `http://127.0.0.1:${bench.place(0).port}`,
    apiKey: loaded.tenant.token,
    keyId: loaded.keyId,
  };
  const withKeys = new EaasClient(options);
  const withoutKeys = new EaasClient({ ...options, cache: { encrypt: { maxMessages: 1 } } });
  const old = await withKeys.encrypt('old');
  await withKeys.decrypt(old, { as: 'text' });

  const ending = new AbortController();
  const inMemory: string[] = [];
  const errors: unknown[] = [];
  const repeat = async (work: () => Promise<unknown>, onError: (error: unknown) => void): Promise<void> => {
    for (; !ending.signal.aborted; await sleep(pause)) await work().catch(onError);
  };
  const working = [
    repeat(
      async () => {
        findings.try('value encrypted and decrypted with data keys in memory');
        await withKeys.encrypt('new');
        await withKeys.decrypt(old, { as: 'text' });
      },
      (error) => inMemory.push(String(error)),
    ),
    repeat(
      () => withoutKeys.encrypt('new'),
      (error) => errors.push(error),
    ),
  ];
  const stop = async (): Promise<void> => {
    ending.abort();
    await Promise.all(working);
  };
  findings.defer(stop);
  return async () => {
    await stop();
    const other = errors.filter((error) => !(error instanceof ServiceError && error.retryable)).map(String);
    findings.check('a client uses the data keys that it has in memory', inMemory.length === 0, inMemory[0]);
    findings.figure('errors of the SDK without data keys', errors.length);
    findings.check(
      'the SDK reports errors that are retryable',
      errors.length > 0 && other.length === 0,
      other,
    );
  };
}

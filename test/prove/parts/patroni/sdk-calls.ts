import { EaasClient, ServiceError } from '@eaas/sdk';
import { repeat } from '../../machine/repeat.ts';
import type { Findings } from '../../trial.ts';
import type { UnderLoad } from '../under-load.ts';
import type { HighAvailability } from '../../machine/patroni/high-availability.ts';

const pause = 200;

export async function useSdk(
  findings: Findings,
  bench: UnderLoad<HighAvailability>,
): Promise<() => Promise<void>> {
  const [loaded] = bench.loaded;
  if (!loaded) throw new Error('at least one tenant must send requests during the trial (got none)');
  const options = {
    baseUrl: `http://127.0.0.1:${bench.place(0).port}`,
    apiKey: loaded.tenant.token,
    keyId: loaded.keyId,
  };
  const withKeys = new EaasClient(options);
  const withoutKeys = new EaasClient({ ...options, cache: { encrypt: { maxMessages: 1 } } });
  const old = await withKeys.encrypt('old');
  await withKeys.decrypt(old, { as: 'text' });

  const inMemory: string[] = [];
  const errors: unknown[] = [];
  const useKeys = async (): Promise<void> => {
    findings.try('value encrypted and decrypted with data keys in memory');
    await withKeys.encrypt('new');
    await withKeys.decrypt(old, { as: 'text' });
  };
  const ends = [
    repeat(pause, () => useKeys().catch((error: unknown) => inMemory.push(String(error)))),
    repeat(pause, () => withoutKeys.encrypt('new').catch((error: unknown) => errors.push(error))),
  ];
  const stop = async (): Promise<void> => {
    await Promise.all(ends.map((end) => end()));
  };
  findings.defer(stop);
  return async () => {
    await stop();
    const other = errors.filter((error) => !(error instanceof ServiceError && error.retryable)).map(String);
    findings.check(
      'a client with data keys in memory encrypts and decrypts without errors',
      inMemory.length === 0,
      inMemory[0],
    );
    findings.figure('errors of the SDK without data keys', errors.length);
    findings.check(
      'every error that the SDK throws is retryable',
      errors.length > 0 && other.length === 0,
      other,
    );
  };
}

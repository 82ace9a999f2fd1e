import type { Case } from '@eaas/test-kit/runtimes/case';
import { holds, refused, same } from './expect.ts';

const silent: typeof fetch = (input, init) =>
  new Promise((_, reject) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    signal?.addEventListener('abort', () => reject(signal.reason as Error));
  });

export const failureCases: readonly Case[] = [
  {
    name: 'an unknown key throws ServiceError with code and status',
    run: async ({ connect }) => {
      const client = connect();
      const keyId = crypto.randomUUID();
      const error = await refused(() => client.encrypt('a secret', { keyId }), 'not_found');
      same([error.name, 'status' in error && error.status], ['ServiceError', 404], 'the error');
      same('retryable' in error && error.retryable, false, 'whether the error is retryable');
      holds(!`${error.stack}${JSON.stringify(error)}`.includes('a secret'), 'no error may show the value');
    },
  },
  {
    name: 'a call with an aborted signal fails',
    run: async ({ connect }) => {
      const client = connect({ fetch: silent, timeouts: { total: 500 } });
      const signal = AbortSignal.timeout(20);
      await refused(() => client.encrypt('a secret', { signal }), 'aborted');
      await refused(() => client.hash('a secret', { signal: AbortSignal.abort() }), 'aborted');
    },
  },
  {
    name: 'a call throws `timeout` if the service does not respond, and `network` if it cannot be reached',
    run: async ({ connect }) => {
      const late = connect({ fetch: silent, timeouts: { total: 60, attempt: 25 }, retries: 1 });
      same('retryable' in (await refused(() => late.encrypt('a secret'), 'timeout')), true);
      const gone = connect({ fetch: () => Promise.reject(new TypeError('failed to fetch')), retries: 0 });
      await refused(() => gone.encrypt('a secret'), 'network');
    },
  },
];

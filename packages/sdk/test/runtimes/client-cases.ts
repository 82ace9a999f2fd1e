import type { Cases, Scene } from '@eaas/test-kit/runtimes/case';
import { holds, refused, same, valueOf } from './expect.ts';

const context = { table: 'patients', row: '4711' };

export const clientCases: Cases = {
  'encrypted text decrypts to the same text': async ({ connect, keyId }) => {
    const client = connect();
    for (const text of ['', 'a secret', 'naïve 🦜 \u0000 ﷽', 'x'.repeat(100_000)]) {
      const bundle = await client.encrypt(text);
      same(bundle.key_id, keyId, 'the key');
      same(await client.decrypt(bundle, { as: 'text' }), text, 'the text');
      same(await client.decrypt(bundle.ciphertext, { as: 'text' }), text, 'the text of the ciphertext alone');
    }
  },
  'encrypted bytes decrypt to the same bytes, also a view of a larger buffer': async ({ connect }) => {
    const client = connect();
    const large = Uint8Array.from({ length: 200_000 }, (_, at) => at * 7 + (at >> 8));
    for (const bytes of [large, large.subarray(5, 77), large.subarray(0, 0)]) {
      const envelope = await client.encrypt(bytes, { as: 'bytes' });
      const moved = new Uint8Array(envelope.length + 9);
      moved.set(envelope, 4);
      same(await client.decrypt(moved.subarray(4, -5)), bytes.slice(), 'the bytes');
      same(await client.decrypt(await client.encrypt(bytes)), bytes.slice(), 'the bytes of the bundle');
    }
  },
  'decrypt refuses another context, another key and altered bytes': async (scene) => {
    const { keyId, otherKeyId } = scene;
    const client = scene.connect();
    const { ciphertext } = await client.encrypt('a secret', { context });
    same(await client.decrypt(ciphertext, { as: 'text', context }), 'a secret', 'the text');
    same(await client.decrypt(ciphertext, { as: 'text', context, keyId: [otherKeyId, keyId] }), 'a secret');
    const anyKey = { as: 'text', context, anyKey: true, keyId: otherKeyId } as const;
    same(await client.decrypt(ciphertext, anyKey), 'a secret');
    await refused(() => client.decrypt(ciphertext, { context: { ...context, row: '4712' } }), 'decryption');
    await refused(() => client.decrypt(ciphertext), 'decryption');
    await refused(() => client.decrypt(ciphertext, { context, keyId: otherKeyId }), 'decryption');
    const altered = `${ciphertext.slice(0, -8)}AAAA${ciphertext.slice(-4)}`;
    await refused(() => client.decrypt(altered, { context }), 'decryption');
    await refused(() => client.decrypt('plain text', { context }), 'format');
  },
  'decrypting 1,000 values under 1,000 data keys concurrently takes one batch request': async (scene) => {
    const writer = counted(scene);
    const bundles = (await writer.client.encryptMany(numbered, { fresh: true })).map(valueOf);
    same(new Set(bundles.map(({ wrapped_key }) => wrapped_key)).size, 1_000, 'the number of data keys');
    same(writer.requests.map(lastPart), ['wrap'], 'the requests to encrypt');
    const { client, requests } = counted(scene);
    const texts = await Promise.all(bundles.map((bundle) => client.decrypt(bundle, { as: 'text' })));
    same(texts, numbered, 'the texts');
    same(requests.length, 1, 'the number of requests');
    holds(requests[0]?.endsWith('/batch/unwrap') === true, `it asked ${requests[0]}`);
  },
  'after prime, encryptSync and decryptSync work': async (scene) => {
    const { client, requests } = counted(scene);
    await refused(() => client.encryptSync('a secret'), 'not_primed');
    await client.prime();
    const options = { as: 'text', context } as const;
    const bundle = client.encryptSync('a secret', { context });
    same(await client.decrypt(bundle, options), 'a secret', 'the text');
    const reader = scene.connect();
    await refused(() => reader.decryptSync(bundle, options), 'not_primed');
    await reader.prime({ ciphertexts: [bundle] });
    same(reader.decryptSync(bundle, options), 'a secret', 'the text that decryptSync returns');
    await refused(() => reader.decryptSync(bundle), 'decryption');
    holds(requests.length <= 2, `it asked ${requests.join()}`);
  },
  '`await using` closes a client at the end of its scope': async ({ connect }) => {
    let kept;
    {
      await using client = connect();
      kept = client;
      await client.encrypt('a secret');
    }
    await refused(() => kept.encrypt('a secret'), 'closed');
  },
  'an unknown key throws ServiceError with code and status': async ({ connect }) => {
    const client = connect();
    const keyId = crypto.randomUUID();
    const error = await refused(() => client.encrypt('a secret', { keyId }), 'not_found');
    same([error.name, 'status' in error && error.status], ['ServiceError', 404], 'the error');
    same('retryable' in error && error.retryable, false, 'whether the error is retryable');
    holds(!`${error.stack}${JSON.stringify(error)}`.includes('a secret'), 'no error may show the value');
  },
  'a call with an aborted signal fails': async ({ connect }) => {
    const client = connect({ fetch: silent, timeouts: { total: 500 } });
    const signal = AbortSignal.timeout(20);
    await refused(() => client.encrypt('a secret', { signal }), 'aborted');
    await refused(() => client.hash('a secret', { signal: AbortSignal.abort() }), 'aborted');
  },
  'a call throws `timeout` if the service does not respond, and `network` if it cannot be reached': async ({
    connect,
  }) => {
    const late = connect({ fetch: silent, timeouts: { total: 60, attempt: 25 }, retries: 1 });
    same('retryable' in (await refused(() => late.encrypt('a secret'), 'timeout')), true);
    const gone = connect({ fetch: () => Promise.reject(new TypeError('failed to fetch')), retries: 0 });
    await refused(() => gone.encrypt('a secret'), 'network');
  },
};

const numbered = Array.from({ length: 1_000 }, (_, index) => `value ${index}`);

function counted(scene: Scene): { client: ReturnType<Scene['connect']>; requests: string[] } {
  const requests: string[] = [];
  const client = scene.connect({
    fetch: (input, init) => {
      requests.push(new URL(input instanceof Request ? input.url : input).pathname);
      return fetch(input, init);
    },
  });
  return { client, requests };
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

const silent: typeof fetch = (input, init) =>
  new Promise((_, reject) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    signal?.addEventListener('abort', () => reject(signal.reason as Error));
  });

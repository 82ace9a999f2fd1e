import type { Cases } from '@eaas/test-kit/runtimes/case';
import { refused, same } from './expect.ts';

const context = { table: 'patients', row: '4711' };

export const clientCases: Cases = {
  'encrypted text and bytes decrypt to the same, also a view of a larger buffer': async ({ connect }) => {
    const client = connect();
    const text = 'naïve 🦜 \u0000 ﷽';
    same(await client.decrypt(await client.encrypt(text), { as: 'text' }), text, 'the text');
    const large = Uint8Array.from({ length: 200_000 }, (_, at) => at * 7 + (at >> 8));
    for (const bytes of [large, large.subarray(5, 77), large.subarray(0, 0)]) {
      const envelope = await client.encrypt(bytes, { as: 'bytes' });
      const moved = new Uint8Array(envelope.length + 9);
      moved.set(envelope, 4);
      same(await client.decrypt(moved.subarray(4, -5)), bytes.slice(), 'the bytes');
    }
  },
  'decrypt refuses another context, another key and altered bytes': async ({ connect, otherKeyId }) => {
    const client = connect();
    const ciphertext = await client.encrypt('a secret', { context });
    await refused(() => client.decrypt(ciphertext, { context: { ...context, row: '4712' } }), 'decryption');
    await refused(() => client.decrypt(ciphertext, { context, keyId: otherKeyId }), 'decryption');
    const altered = `${ciphertext.slice(0, -8)}AAAA${ciphertext.slice(-4)}`;
    await refused(() => client.decrypt(altered, { context }), 'decryption');
  },
  'a value under a half opens with the bytes or the key of the half, and with no other': async (scene) => {
    const half = Uint8Array.from({ length: 32 }, (_, at) => at + 1);
    const hmac = { name: 'HMAC', hash: 'SHA-256' };
    const key = await crypto.subtle.importKey('raw', half, hmac, false, ['sign']);
    const bundle = await scene.connect({ half }).encrypt('a secret');
    for (const own of [half, key, [half.toReversed(), half]]) {
      same(await scene.connect({ half: own }).decrypt(bundle, { as: 'text' }), 'a secret', 'the text');
    }
    await refused(() => scene.connect({ half: half.toReversed() }).decrypt(bundle), 'decryption');
    await refused(() => scene.connect().decrypt(bundle), 'decryption');
  },
  'after prime, encryptSync and decryptSync work': async ({ connect }) => {
    const client = connect();
    await client.prime();
    const bundle = client.encryptSync('a secret', { context });
    const reader = connect();
    await refused(() => reader.decryptSync(bundle, { context }), 'not_primed');
    await reader.prime({ ciphertexts: [bundle] });
    same(reader.decryptSync(bundle, { as: 'text', context }), 'a secret', 'the text');
    await refused(() => reader.decryptSync(bundle), 'decryption');
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

const silent: typeof fetch = (input, init) =>
  new Promise((_, reject) => {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    signal?.addEventListener('abort', () => reject(signal.reason as Error));
  });

import type { Case } from '@eaas/test-kit/runtimes/case';
import { refused, same } from './expect.ts';

const context = { table: 'patients', row: '4711' };

export const envelopeCases: readonly Case[] = [
  {
    name: 'encrypted text decrypts to the same text',
    run: async ({ connect, keyId }) => {
      const client = connect();
      for (const text of ['', 'a secret', 'naïve 🦜 \u0000 ﷽', 'x'.repeat(100_000)]) {
        const bundle = await client.encrypt(text);
        same(bundle.key_id, keyId, 'the key');
        same(await client.decrypt(bundle, { as: 'text' }), text, 'the text');
        same(
          await client.decrypt(bundle.ciphertext, { as: 'text' }),
          text,
          'the text of the ciphertext alone',
        );
      }
    },
  },
  {
    name: 'encrypted bytes decrypt to the same bytes, also a view of a larger buffer',
    run: async ({ connect }) => {
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
  },
  {
    name: 'decrypt refuses another context, another key and altered bytes',
    run: async ({ connect, otherKeyId, keyId }) => {
      const client = connect();
      const { ciphertext } = await client.encrypt('a secret', { context });
      same(await client.decrypt(ciphertext, { as: 'text', context }), 'a secret', 'the text');
      same(await client.decrypt(ciphertext, { as: 'text', context, keyId: [otherKeyId, keyId] }), 'a secret');
      same(
        await client.decrypt(ciphertext, { as: 'text', context, anyKey: true, keyId: otherKeyId }),
        'a secret',
      );
      await refused(() => client.decrypt(ciphertext, { context: { ...context, row: '4712' } }), 'decryption');
      await refused(() => client.decrypt(ciphertext), 'decryption');
      await refused(() => client.decrypt(ciphertext, { context, keyId: otherKeyId }), 'decryption');
      const altered = `${ciphertext.slice(0, -8)}AAAA${ciphertext.slice(-4)}`;
      await refused(() => client.decrypt(altered, { context }), 'decryption');
      await refused(() => client.decrypt('plain text', { context }), 'format');
    },
  },
];

import { createIntake } from '@eaas/sdk/intake';
import type { Case } from './case.ts';
import { holds, refused, same, valueOf } from './expect.ts';

const context = { form: 'contact', submission: '17' };

export const intakeCases: readonly Case[] = [
  {
    name: 'values encrypted with a public key decrypt, and encrypting makes no request',
    run: async ({ connect, intake: { keyId, publicKey } }) => {
      const writer = createIntake({ publicKey });
      const bundles = await withGlobal('fetch', unavailable, async () => {
        const many = await writer.encryptMany(['Ada', 'Grace'], { context });
        return [await writer.encrypt('Joan', { context }), ...many.map(valueOf)];
      });
      const client = connect();
      const opened = await client.decryptMany(bundles, { keyId, context, as: 'text' });
      same(opened.map(valueOf), ['Joan', 'Ada', 'Grace'], 'the values');
      await refused(() => client.decrypt(bundles[0] ?? '', { keyId }), 'decryption');
      await refused(() => client.decrypt(bundles[0] ?? '', { context }), 'decryption');
    },
  },
  {
    name: 'a platform without X25519 encrypts with a public key',
    run: async ({ connect, intake: { keyId, publicKey } }) => {
      const { subtle } = crypto;
      const importKey = subtle.importKey.bind(subtle);
      let removed = 0;
      const withoutX25519 = (...given: unknown[]): unknown => {
        if (given[2] !== 'X25519') return Reflect.apply(importKey, subtle, given);
        removed++;
        return Promise.reject(new DOMException('Unrecognized name', 'NotSupportedError'));
      };
      Object.defineProperty(subtle, 'importKey', { value: withoutX25519, configurable: true });
      try {
        const bundle = await createIntake({ publicKey }).encrypt('Ada', { context });
        same(await connect().decrypt(bundle, { keyId, context, as: 'text' }), 'Ada', 'the value');
      } finally {
        Reflect.deleteProperty(subtle, 'importKey');
      }
      holds(removed > 0, 'the platform was asked for X25519');
    },
  },
];

const unavailable = (): Promise<never> => Promise.reject(new TypeError('there is no network'));

async function withGlobal<T>(name: 'fetch', value: unknown, work: () => Promise<T>): Promise<T> {
  const before = Object.getOwnPropertyDescriptor(globalThis, name);
  Object.defineProperty(globalThis, name, { value, configurable: true });
  try {
    return await work();
  } finally {
    if (before) Object.defineProperty(globalThis, name, before);
  }
}

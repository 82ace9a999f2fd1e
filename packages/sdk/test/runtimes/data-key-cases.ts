import type { Case, Scene } from '@eaas/test-kit/runtimes/case';
import { holds, refused, same, valueOf } from './expect.ts';

const many = 1_000;

export const dataKeyCases: readonly Case[] = [
  {
    name: 'decrypting 1,000 values under 1,000 data keys concurrently takes one batch request',
    run: async (scene) => {
      const writer = counted(scene);
      const bundles = (await writer.client.encryptMany(numbered, { fresh: true })).map(valueOf);
      same(new Set(bundles.map(({ wrapped_key }) => wrapped_key)).size, many, 'the number of data keys');
      same(writer.requests.map(lastPart), ['wrap'], 'the requests to encrypt');
      const { client, requests } = counted(scene);
      const texts = await Promise.all(bundles.map((bundle) => client.decrypt(bundle, { as: 'text' })));
      same(texts, numbered, 'the texts');
      same(requests.length, 1, 'the number of requests');
      holds(requests[0]?.endsWith('/batch/unwrap') === true, `it asked ${requests[0]}`);
    },
  },
  {
    name: 'after prime, encryptSync and decryptSync work',
    run: async (scene) => {
      const { client, requests } = counted(scene);
      await refused(() => client.encryptSync('a secret'), 'not_primed');
      await client.prime();
      const context = { row: '1' };
      const bundle = client.encryptSync('a secret', { context });
      same(await client.decrypt(bundle, { as: 'text', context }), 'a secret', 'the text');
      const reader = scene.connect();
      await refused(() => reader.decryptSync(bundle, { as: 'text', context }), 'not_primed');
      await reader.prime({ ciphertexts: [bundle] });
      same(
        reader.decryptSync(bundle, { as: 'text', context }),
        'a secret',
        'the text that decryptSync returns',
      );
      await refused(() => reader.decryptSync(bundle), 'decryption');
      holds(requests.length <= 2, `it asked ${requests.join()}`);
    },
  },
  {
    name: '`await using` closes a client at the end of its scope',
    run: async ({ connect }) => {
      let kept;
      {
        await using client = connect();
        kept = client;
        await client.encrypt('a secret');
      }
      await refused(() => kept.encrypt('a secret'), 'closed');
    },
  },
];

const numbered = Array.from({ length: many }, (_, index) => `value ${index}`);

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

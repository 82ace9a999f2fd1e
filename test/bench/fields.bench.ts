import { randomBytes } from 'node:crypto';
import type { Context } from '@eaas/protocol';
import { EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/local';
import { bareFields } from './bare-fields.ts';
import { type Benchmark, type Comparison, type Contender, pick } from './compare.ts';

type Work = Contender['run'];

const given: Context = { table: 'patients', column: 'diagnosis' };
const wrapped = {
  keyId: '00000000-0000-4000-8000-000000000002',
  keyVersion: 1,
  wrappedKey: randomBytes(78),
};
const dek = randomBytes(32);

export const benchmark: Benchmark = {
  name: 'fields',
  about: 'encryption of a text to base64, and decryption of base64 to a text, with a data key in memory',
  async comparisons() {
    const client = await primedClient();
    const comparisons: Comparison[] = [];
    for (const length of [64, 1_024]) {
      const texts = Array.from({ length: 256 }, () => randomBytes(length / 2).toString('hex'));
      const [plain, inContext] = [await workOf(client, texts), await workOf(client, texts, given)];
      const size = length === 64 ? '64 B' : '1 KiB';
      comparisons.push(
        ...againstBare(size, plain, texts),
        ...againstBare(`${size}, context`, inContext, texts, given),
      );
    }
    return comparisons;
  },
};

export async function primedClient(): Promise<EaasClient> {
  const service = createTestService();
  const { baseUrl, apiKey, fetch } = service;
  const cache = { encrypt: { maxMessages: 2 ** 32, maxBytes: 2 ** 50, maxAge: 86_400_000 } };
  const client = new EaasClient({
    baseUrl,
    apiKey,
    fetch,
    keyId: (await service.createKey('benchmark')).key_id,
    cache,
  });
  await client.prime();
  return client;
}

export async function workOf(client: EaasClient, texts: readonly string[], context?: Context) {
  const bundles = await Promise.all(texts.map((plaintext) => client.encrypt(plaintext, { context })));
  const ciphertexts = bundles.map(({ ciphertext }) => ciphertext);
  await client.prime({ ciphertexts });
  const [text, ciphertext] = [pick(texts), pick(ciphertexts)];
  const asText = { as: 'text', context } as const;
  if ((await client.decrypt(ciphertext(0), asText)) !== text(0))
    throw new Error('the SDK did not decrypt its own ciphertext to the original text');
  const work = {
    encrypt: (call) => client.encrypt(text(call), { context }),
    encryptSync: (call) => client.encryptSync(text(call), { context }),
    decrypt: (call) => client.decrypt(ciphertext(call), asText),
    decryptSync: (call) => client.decryptSync(ciphertext(call), asText),
  } satisfies Record<string, Work>;
  return work;
}

type OurWork = Awaited<ReturnType<typeof workOf>>;

function againstBare(size: string, ours: OurWork, texts: readonly string[], context?: Context): Comparison[] {
  const bare = bareFields(dek, wrapped, context);
  const [text, ciphertext] = [pick(texts), pick(texts.map((text) => bare.seal(text)))];
  const targets = { encrypt: 0.6, encryptSync: 0.8, decrypt: 0.6, decryptSync: 0.75 };
  return (['encrypt', 'encryptSync', 'decrypt', 'decryptSync'] as const).map((method) => ({
    ours: { name: `${method}, ${size}`, run: ours[method] },
    reference: {
      name: 'bare, the same envelope',
      run: method.startsWith('encrypt')
        ? (call) => bare.seal(text(call))
        : (call) => bare.open(ciphertext(call)),
    },
    target: targets[method],
  }));
}

import { randomBytes } from 'node:crypto';
import type { Context } from '@eaas/protocol';
import { EaasClient } from '@eaas/sdk';
import { bareFields } from './bare-fields.ts';
import type { Benchmark, Comparison, Contender } from './compare.ts';
import { memoryService } from './memory-service.ts';
import { awsEncryptionSdk, cloak, type Peer } from './peers.ts';

interface Fields {
  readonly encrypt: Contender;
  readonly encryptSync: Contender;
  readonly decrypt: Contender;
  readonly decryptSync: Contender;
}

interface Pair {
  readonly encrypt: Contender;
  readonly decrypt: Contender;
}

const given: Context = { table: 'patients', column: 'diagnosis' };
const wrapped = {
  keyId: '00000000-0000-4000-8000-000000000002',
  keyVersion: 1,
  wrappedKey: randomBytes(78),
};
/** The key in the memory of the bare loops. */
const dek = randomBytes(32);

export const benchmark: Benchmark = {
  name: 'fields',
  about: 'fields of text under a data key in memory, from string to base64 and back',
  async comparisons() {
    const client = await primedClient();
    const comparisons: Comparison[] = [];
    for (const length of [64, 1_024]) {
      const texts = Array.from({ length: 256 }, () => randomBytes(length / 2).toString('hex'));
      for (const context of [undefined, given]) {
        comparisons.push(...againstBare(await ours(client, texts, context), texts, context));
      }
      comparisons.push(...againstPeers(await ours(client, texts), await peer(await cloak(), texts), 1));
      const [inContext, aws] = [await ours(client, texts, given), await awsEncryptionSdk(given)];
      comparisons.push(...againstPeers(inContext, await peer(aws, texts), 20));
    }
    return comparisons;
  },
};

/** A client whose data key lasts for the whole benchmark: what a minute's use costs is measured, not its renewal. */
async function primedClient(): Promise<EaasClient> {
  const cache = { encrypt: { messages: 2 ** 32, bytes: 2 ** 50, milliseconds: 86_400_000 } };
  const client = new EaasClient({ ...memoryService(), cache });
  await client.prime();
  return client;
}

async function ours(client: EaasClient, texts: readonly string[], context?: Context): Promise<Fields> {
  const bundles = await Promise.all(texts.map((text) => client.encrypt(text, { context })));
  const ciphertexts = bundles.map(({ ciphertext }) => ciphertext);
  await client.prime({ ciphertexts });
  const [text, ciphertext] = [pick(texts), pick(ciphertexts)];
  if ((await client.decryptText(ciphertext(0), { context })) !== text(0)) throw new Error('not the text');
  const suffix = described(texts, context);
  return {
    encrypt: { name: `encrypt, ${suffix}`, run: (call) => client.encrypt(text(call), { context }) },
    encryptSync: {
      name: `encryptSync, ${suffix}`,
      run: (call) => client.encryptSync(text(call), { context }),
    },
    decrypt: {
      name: `decryptText, ${suffix}`,
      run: (call) => client.decryptText(ciphertext(call), { context }),
    },
    decryptSync: {
      name: `decryptTextSync, ${suffix}`,
      run: (call) => client.decryptTextSync(ciphertext(call), { context }),
    },
  };
}

function againstBare(fields: Fields, texts: readonly string[], context?: Context): Comparison[] {
  const bare = bareFields(dek, wrapped, context);
  const [text, ciphertext] = [pick(texts), pick(texts.map(bare.seal))];
  const seal: Contender = { name: 'bare, the same envelope', run: (call) => bare.seal(text(call)) };
  const open: Contender = { name: 'bare, the same envelope', run: (call) => bare.open(ciphertext(call)) };
  const encryptOnly = { name: 'bare, encrypting only', run: (call: number) => bare.encryptOnly(text(call)) };
  return [
    { ours: fields.encrypt, reference: seal, target: 0.6 },
    { ours: fields.encryptSync, reference: seal, target: 0.8 },
    { ours: fields.encryptSync, reference: encryptOnly },
    { ours: fields.decrypt, reference: open, target: 0.6 },
    { ours: fields.decryptSync, reference: open, target: 0.7 },
  ];
}

function againstPeers(fields: Fields, peers: Pair, target: number): Comparison[] {
  return [
    { ours: fields.encrypt, reference: peers.encrypt, target },
    { ours: fields.decrypt, reference: peers.decrypt, target },
  ];
}

async function peer({ name, encrypt, decrypt }: Peer, texts: readonly string[]): Promise<Pair> {
  const [text, ciphertext] = [pick(texts), pick(await Promise.all(texts.map(encrypt)))];
  if ((await decrypt(ciphertext(0))) !== text(0)) throw new Error(`${name} does not give back the text`);
  return {
    encrypt: { name, run: (call) => encrypt(text(call)) },
    decrypt: { name, run: (call) => decrypt(ciphertext(call)) },
  };
}

function described(texts: readonly string[], context: Context | undefined): string {
  const length = texts[0]?.length ?? 0;
  return `${length < 1_024 ? `${length} B` : `${length / 1_024} KiB`}${context ? ', context' : ''}`;
}

function pick<T>(list: readonly T[]): (call: number) => T {
  return (call) => list[call % list.length] as T;
}

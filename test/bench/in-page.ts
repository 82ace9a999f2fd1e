import { gcm } from '@noble/ciphers/aes.js';
import { ml_kem768_x25519 } from '@noble/post-quantum/hybrid.js';
import { nobleEngine } from '@eaas/protocol';
import { toBase64 } from '@eaas/protocol/base64';
import { createBrowserClient, type EnvelopeClient } from '@eaas/sdk/browser';
import { createIntake } from '@eaas/sdk/intake';
import { encryptStream } from '@eaas/sdk/stream';
import { compare, type Contender, pick, type Result } from './compare.ts';

type Work = Contender['run'];

export interface PageComparison {
  readonly reference: string;
  readonly target?: number;
  readonly hasSlowFirstCall?: boolean;
  readonly prepare: (publicKey: string) => Promise<readonly [Work, Work, number?]>;
}

export interface PageResult extends Result {
  /** The duration of the first call, in milliseconds. */
  readonly first: number;
}

const webCrypto = 'WebCrypto, bare';
const noble = 'noble gcm, bare';

const xWing = { reference: 'noble X-Wing and gcm, bare', hasSlowFirstCall: true };

export const comparisons: Readonly<Record<string, PageComparison>> = {
  'encrypt 64 B': { reference: webCrypto, target: 0.6, prepare: () => fields(64) },
  'encrypt 1 KiB': { reference: webCrypto, target: 0.6, prepare: () => fields(1_024) },
  'encrypt 64 B, 100 at once': { reference: webCrypto, target: 0.6, prepare: () => concurrent(64) },
  'encrypt 1 KiB, 100 at once': { reference: webCrypto, target: 0.6, prepare: () => concurrent(1_024) },
  'encrypt 16 MiB': { reference: webCrypto, target: 0.8, prepare: () => oneValue(16 * 2 ** 20, 'bundle') },
  'encrypt 16 MiB, as bytes': {
    reference: webCrypto,
    target: 0.8,
    prepare: () => oneValue(16 * 2 ** 20, 'bytes'),
  },
  'encrypt 16 MiB, both with a copy': {
    reference: 'WebCrypto, and a copy',
    prepare: () => oneValue(16 * 2 ** 20, 'bytes', true),
  },
  'encryptSync 64 B': { reference: noble, target: 0.8, prepare: () => synchronous(64) },
  'encryptSync 1 KiB': { reference: noble, target: 0.8, prepare: () => synchronous(1_024) },
  'encryptStream 16 MiB': { reference: webCrypto, target: 0.8, prepare: () => streamed(16 * 2 ** 20) },
  'intake encrypt 64 B': { ...xWing, prepare: (publicKey) => intake(publicKey, 64) },
  'intake encrypt 1 KiB': { ...xWing, prepare: (publicKey) => intake(publicKey, 1_024) },
};

interface Asked {
  readonly name: string;
  readonly publicKey: string;
}

export async function run({ name, publicKey }: Asked): Promise<PageResult> {
  const [ours, reference, size = 1] = (await comparisons[name]?.prepare(publicKey)) ?? [];
  if (!ours || !reference)
    throw new Error(`\`name\` must be one of ${Object.keys(comparisons).join(', ')} (got ${name})`);
  const start = performance.now();
  await ours(0);
  const first = performance.now() - start;
  const result = await compare({
    ours: { name, size, run: ours },
    reference: { name, size, run: reference },
  });
  return { ...result, first };
}

const keyId = '00000000-0000-4000-8000-000000000002';
const dek = crypto.getRandomValues(new Uint8Array(32));
// Reusing an iv is safe only in a benchmark.
const iv = new Uint8Array(12).fill(7);
const headerLength = 148;
const aad = new Uint8Array(20);

async function fields(length: number) {
  const [client, bare, value] = [await connect(), await bareEncrypt(), valuesOf(length)];
  return [(call: number) => client.encrypt(value(call)), (call: number) => bare(value(call))] as const;
}

async function concurrent(length: number) {
  const size = 100;
  const all = (work: Work): Work => {
    return (call) => Promise.all(Array.from({ length: size }, (_, at) => work(call + at)));
  };
  const [ours, bare] = await fields(length);
  return [all(ours), all(bare), size] as const;
}

async function synchronous(length: number) {
  const [client, value] = [await connect(), valuesOf(length)];
  const bare = (call: number) => gcm(dek, iv, aad).encrypt(value(call));
  return [(call: number) => client.encryptSync(value(call)), bare] as const;
}

async function oneValue(length: number, as: 'bundle' | 'bytes', isCopied = false) {
  const [client, bare, value] = [await connect(), await bareEncrypt(), new Uint8Array(length)];
  const copied = async () => {
    const sealed = new Uint8Array(await bare(value));
    const envelope = new Uint8Array(sealed.length + headerLength);
    envelope.set(sealed, headerLength);
    return envelope;
  };
  return [() => client.encrypt(value, { as }), isCopied ? copied : () => bare(value)] as const;
}

async function streamed(length: number) {
  const [client, bare, value] = [await connect(), await bareEncrypt(), new Uint8Array(length)];
  const ours = async (): Promise<void> => {
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < length; at += 2 ** 20) controller.enqueue(value.subarray(at, at + 2 ** 20));
        controller.close();
      },
    });
    let bytes = 0;
    for await (const piece of pieces.pipeThrough(encryptStream(client))) bytes += piece.length;
    if (bytes < length)
      throw new Error(`an encrypted stream must have at least ${length} bytes (got ${bytes})`);
  };
  return [ours, () => bare(value)] as const;
}

const fromBase64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

async function intake(publicKey: string, length: number) {
  const [writer, value] = [createIntake({ publicKey }), valuesOf(length)];
  const xWingKey = fromBase64(publicKey.split('.')[3] ?? '');
  const bare = (call: number): Uint8Array => {
    const { sharedSecret } = ml_kem768_x25519.encapsulate(xWingKey);
    return gcm(sharedSecret, iv, aad).encrypt(value(call));
  };
  return [(call: number) => writer.encrypt(value(call)), bare] as const;
}

async function bareEncrypt() {
  const key = await crypto.subtle.importKey('raw', dek, 'AES-GCM', false, ['encrypt']);
  return (value: Uint8Array<ArrayBuffer>) =>
    crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: aad }, key, value);
}

async function connect(): Promise<EnvelopeClient> {
  const client = createBrowserClient({
    keyId,
    engines: { sync: nobleEngine },
    cache: { encrypt: { maxMessages: 2 ** 32, maxBytes: 2 ** 50, maxAge: 3_600_000 } },
    fetch: async () =>
      Response.json({ key_id: keyId, key_version: 1, wrapped_key: toBase64(new Uint8Array(78).fill(1)) }),
  });
  await client.prime();
  return client;
}

function valuesOf(length: number) {
  return pick(Array.from({ length: 64 }, (_, at) => new Uint8Array(length).fill(at)));
}

import { gcm } from '@noble/ciphers/aes.js';
import { p256_oprf } from '@noble/curves/nist.js';
import { ml_kem768_x25519 } from '@noble/post-quantum/hybrid.js';
import { nobleEngine, pae } from '@eaas/protocol';
import { toBase64 } from '@eaas/protocol/base64';
import type { Evaluation } from '@eaas/protocol/blind-hash';
import { EaasBrowserClient } from '@eaas/sdk/browser';
import { createIntake } from '@eaas/sdk/intake';
import { encryptStream } from '@eaas/sdk/stream';
import { compare, type Contender, pick, type Result } from './compare.ts';

type Work = Contender['run'];

/** Values that are computed outside the page. The first measured call is therefore the page's first use of P-256. */
export interface Prepared {
  readonly publicKey: string;
  readonly keyId: string;
  readonly random: readonly number[];
  readonly values: readonly string[];
  readonly responses: Readonly<Record<number, Evaluation>>;
}

export interface PageComparison {
  readonly reference: string;
  readonly target?: number;
  readonly hasSlowFirstCall?: boolean;
  readonly prepare: (prepared: Prepared) => Promise<readonly [Work, Work, number?]>;
}

export interface PageResult extends Result {
  /** The duration of the first call, in milliseconds. */
  readonly first: number;
}

const webCrypto = 'WebCrypto, bare';
const noble = 'noble gcm, bare';

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
  'blindHash, 1 value': { ...withNoble('voprf'), prepare: (prepared) => blindHashes(prepared, 1) },
  'blindHashMany, 100 values': { ...withNoble('voprf'), prepare: (prepared) => blindHashes(prepared, 100) },
  'intake encrypt 64 B': { ...withNoble('X-Wing and gcm'), prepare: (prepared) => intake(prepared, 64) },
  'intake encrypt 1 KiB': { ...withNoble('X-Wing and gcm'), prepare: (prepared) => intake(prepared, 1_024) },
};

function withNoble(primitives: string) {
  return { reference: `noble ${primitives}, bare`, hasSlowFirstCall: true };
}

export async function run({ name, ...prepared }: Prepared & { readonly name: string }): Promise<PageResult> {
  const [ours, reference, size = 1] = (await comparisons[name]?.prepare(prepared)) ?? [];
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

/** Every request uses the same blinding factor, so the prepared response is valid for every request. */
async function blindHashes({ keyId: ofHashes, random, values, responses }: Prepared, size: number) {
  const response = responses[size];
  if (!response) throw new Error(`the benchmark must prepare a response for ${size} values (got none)`);
  const blind = Uint8Array.from(random);
  const generate = crypto.getRandomValues.bind(crypto);
  const draw = (array: Uint8Array<ArrayBuffer>): Uint8Array => {
    if (array.length !== blind.length) return generate(array);
    array.set(blind);
    return array;
  };
  Object.defineProperty(crypto, 'getRandomValues', { value: draw });
  const client = new EaasBrowserClient({
    keyId: ofHashes,
    fetch: async () => Response.json({ key_id: ofHashes, ...response }),
  });
  const given = values.slice(0, size);
  const ours = async (): Promise<void> => {
    for (const result of await client.blindHashMany(given)) if (!result.ok) throw result.error;
  };
  const inputs = await Promise.all(given.map(inputOf));
  return [ours, () => bareHashes(inputs, blind, response), size] as const;
}

async function inputOf(value: string): Promise<Uint8Array> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(value));
  return pae('eaas blind hash v1', new Uint8Array(digest));
}

const { voprf } = p256_oprf;
const fromBase64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

function bareHashes(inputs: readonly Uint8Array[], random: Uint8Array, response: Evaluation): Uint8Array[] {
  const items = inputs.map((input, at) => {
    const evaluated = fromBase64(response.evaluated[at] ?? '');
    return { input, evaluated, ...voprf.blind(input, () => random) };
  });
  return voprf.finalizeBatch(items, fromBase64(response.public_key), fromBase64(response.proof));
}

async function intake({ publicKey }: Prepared, length: number) {
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

async function connect(): Promise<EaasBrowserClient> {
  const client = new EaasBrowserClient({
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

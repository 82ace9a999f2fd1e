import { gcm } from '@noble/ciphers/aes.js';
import { nobleEngine } from '@eaas/protocol';
import { toBase64 } from '@eaas/protocol/base64';
import { EaasBrowserClient } from '@eaas/sdk/browser';
import { encryptStream } from '@eaas/sdk/stream';
import { compare, type Comparison, type Result } from './compare.ts';

/** Runs inside of a page: one of its comparisons, by name. */
export async function run({ name }: { readonly name: string }): Promise<Result> {
  const prepare = comparisons[name];
  if (!prepare) throw new Error(`there is no comparison ${name}`);
  return compare(await prepare());
}

const keyId = '00000000-0000-4000-8000-000000000002';
const dek = crypto.getRandomValues(new Uint8Array(32));
const iv = new Uint8Array(12).fill(7);
const aad = new Uint8Array(20);

/** By the names that the benchmark has for them. */
const comparisons: Readonly<Record<string, () => Promise<Comparison>>> = {
  'encrypt 64 B': () => fields(64, 1),
  'encrypt 1 KiB': () => fields(1_024, 1),
  'encrypt 64 B, 100 at once': () => fields(64, 100),
  'encrypt 1 KiB, 100 at once': () => fields(1_024, 100),
  'encryptSync 64 B': () => atOnce(64),
  'encryptSync 1 KiB': () => atOnce(1_024),
  'encryptStream 16 MiB': () => streamed(16 * 2 ** 20),
  'encryptBytes 16 MiB': () => large(16 * 2 ** 20),
};

async function fields(length: number, size: number): Promise<Comparison> {
  const [client, key, values] = [await connect(), await bareKey(), valuesOf(length)];
  const many = async (work: (call: number) => Promise<unknown>, call: number): Promise<void> => {
    await Promise.all(Array.from({ length: size }, (_, at) => work(call + at)));
  };
  const ours = (call: number) => client.encrypt(values(call));
  const bare = (call: number) => bareEncrypt(key, values(call));
  return {
    ours: { name: '', size, run: size === 1 ? ours : (call) => many(ours, call) },
    reference: { name: '', size, run: size === 1 ? bare : (call) => many(bare, call) },
  };
}

async function atOnce(length: number): Promise<Comparison> {
  const [client, values] = [await connect(), valuesOf(length)];
  return {
    ours: { name: '', run: (call) => client.encryptSync(values(call)) },
    reference: { name: '', run: (call) => gcm(dek, iv, aad).encrypt(values(call)) },
  };
}

async function large(length: number): Promise<Comparison> {
  const [client, key, values] = [await connect(), await bareKey(), valuesOf(length, 1)];
  return {
    ours: { name: '', run: (call) => client.encryptBytes(values(call)) },
    reference: { name: '', run: (call) => bareEncrypt(key, values(call)) },
  };
}

async function streamed(length: number): Promise<Comparison> {
  const [client, key, values] = [await connect(), await bareKey(), valuesOf(length, 1)];
  const ours = async (call: number): Promise<void> => {
    const sealed = piecesOf(values(call), 2 ** 20).pipeThrough(encryptStream(client));
    let bytes = 0;
    for await (const piece of sealed) bytes += piece.length;
    if (bytes < length) throw new Error(`${bytes} bytes came out of ${length}`);
  };
  return {
    ours: { name: '', run: ours },
    reference: { name: '', run: (call) => bareEncrypt(key, values(call)) },
  };
}

function piecesOf(bytes: Uint8Array, length: number): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += length) controller.enqueue(bytes.subarray(at, at + length));
      controller.close();
    },
  });
}

// The bare calls get one fixed iv, which no honest use could, and their additional data ready made.
function bareEncrypt(key: CryptoKey, value: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  return crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: aad }, key, value);
}

function bareKey(): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', dek, 'AES-GCM', false, ['encrypt']);
}

/** A client whose data key stays: what it costs to fetch one is not measured here. */
async function connect(): Promise<EaasBrowserClient> {
  const client = new EaasBrowserClient({
    keyId,
    engines: { sync: nobleEngine },
    cache: { encrypt: { messages: 2 ** 32, bytes: 2 ** 50, milliseconds: 3_600_000 } },
    fetch: async () =>
      Response.json({ key_id: keyId, key_version: 1, wrapped_key: toBase64(new Uint8Array(78).fill(1)) }),
  });
  await client.prime();
  return client;
}

function valuesOf(length: number, count = 64): (call: number) => Uint8Array<ArrayBuffer> {
  const values = Array.from({ length: count }, (_, at) => new Uint8Array(length).fill(at));
  return (call) => values[call % count] as Uint8Array<ArrayBuffer>;
}

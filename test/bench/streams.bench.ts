import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Engine } from '@eaas/protocol';
import { nodeEngine } from '@eaas/protocol/node';
import { openStream, sealStream } from '@eaas/protocol/stream';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';
import { EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/local';
import type { Benchmark, Comparison, Contender } from './compare.ts';

type Bytes = Uint8Array<ArrayBuffer>;
type Transform = () => ReadableWritablePair<Uint8Array, Uint8Array>;
type OneChunk = (chunk: Bytes, index: number) => Uint8Array | Promise<Uint8Array>;

const chunkLength = 65_536;
const tagLength = 16;
const target = 0.8;
const content = concat(
  Array.from({ length: 256 }, () => crypto.getRandomValues(new Uint8Array(chunkLength))),
);
const dek = crypto.getRandomValues(new Uint8Array(32));
const keyId = '00000000-0000-4000-8000-000000000002';

const sealNode: OneChunk = (chunk, index) => {
  const cipher = createCipheriv('aes-256-gcm', dek, nonce(index));
  return Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
};
const openNode: OneChunk = (chunk, index) => {
  const decipher = createDecipheriv('aes-256-gcm', dek, nonce(index), { authTagLength: tagLength });
  decipher.setAuthTag(chunk.subarray(-tagLength));
  const opened = decipher.update(chunk.subarray(0, -tagLength));
  decipher.final();
  return opened;
};
const imported = crypto.subtle.importKey('raw', dek, 'AES-GCM', false, ['encrypt', 'decrypt']);
const web =
  (way: 'encrypt' | 'decrypt'): OneChunk =>
  async (chunk, index) =>
    new Uint8Array(await crypto.subtle[way]({ name: 'AES-GCM', iv: nonce(index) }, await imported, chunk));

export const benchmark: Benchmark = {
  name: 'streams',
  about: 'encryption of 16 MiB as a stream, and as one value, compared with bare AES-256-GCM',
  comparisons: async () => [
    ...(await streamed(nodeEngine, sealNode, openNode)),
    ...(await streamed(webCryptoEngine, web('encrypt'), web('decrypt'))),
    ...(await whole()),
  ],
};

async function streamed(engine: Engine, sealOne: OneChunk, openOne: OneChunk): Promise<Comparison[]> {
  let dataKey = new Uint8Array(32);
  const wrap = (fresh: Uint8Array) => {
    dataKey = fresh.slice();
    return { keyId, keyVersion: 1, wrappedKey: new Uint8Array(78) };
  };
  const sealing: Transform = () => sealStream(wrap, { engine });
  const sealed = concat(await drain(piecesOf(content, chunkLength).pipeThrough(sealing())));
  const sealedUnder = dataKey;
  const opening: Transform = () => openStream(() => sealedUnder.slice(), { engine, keyId });
  const bareSealed = concat(await drain(piecesOf(content, chunkLength).pipeThrough(bare(sealOne)())));
  return [
    {
      ours: piped(`sealStream, ${engine.name}`, content, chunkLength, sealing),
      reference: piped('bare, piped', content, chunkLength, bare(sealOne)),
      target,
    },
    {
      ours: piped(`openStream, ${engine.name}`, sealed, chunkLength, opening),
      reference: piped('bare, piped', bareSealed, chunkLength + tagLength, bare(openOne)),
      target,
    },
  ];
}

async function whole(): Promise<Comparison[]> {
  const service = createTestService();
  const { baseUrl, apiKey, fetch } = service;
  const client = new EaasClient({ baseUrl, apiKey, fetch, keyId: service.createKey('benchmark').key_id });
  const encrypt = () => client.encrypt(content, { as: 'bytes' });
  const envelope = await encrypt();
  const sealed = concat([await sealNode(content, 0)]);
  // The reference calls only the cipher. It is asynchronous like the SDK, because Node frees the memory of synchronous
  // code at different times, which would distort the comparison.
  return [
    {
      ours: { name: 'encrypt to bytes', run: encrypt },
      reference: { name: 'bare, awaited', run: async () => sealNode(content, 0) },
      target,
    },
    {
      ours: { name: 'decrypt', run: () => client.decrypt(envelope) },
      reference: { name: 'bare, awaited', run: async () => openNode(sealed, 0) },
      target,
    },
  ];
}

function bare(oneChunk: OneChunk): Transform {
  return () => {
    let index = 0;
    return new TransformStream<Bytes, Uint8Array>({
      async transform(chunk, controller) {
        const done = oneChunk(chunk, index++);
        controller.enqueue(done instanceof Promise ? await done : done);
      },
    });
  };
}

function piped(name: string, input: Bytes, pieceLength: number, through: Transform): Contender {
  return { name, run: () => drain(piecesOf(input, pieceLength).pipeThrough(through())) };
}

function piecesOf(input: Bytes, length: number): ReadableStream<Bytes> {
  let at = 0;
  return new ReadableStream<Bytes>(
    {
      pull(controller) {
        if (at >= input.length) return controller.close();
        controller.enqueue(input.subarray(at, (at += length)));
      },
    },
    { highWaterMark: 0 },
  );
}

async function drain(stream: ReadableStream<Uint8Array>): Promise<Uint8Array[]> {
  const reader = stream.getReader();
  const all: Uint8Array[] = [];
  for (let read = await reader.read(); !read.done; read = await reader.read()) all.push(read.value);
  return all;
}

function nonce(index: number): Bytes {
  const bytes = new Uint8Array(12);
  new DataView(bytes.buffer).setUint32(7, index);
  return bytes;
}

function concat(parts: readonly Uint8Array[]): Bytes {
  return new Uint8Array(Buffer.concat(parts));
}

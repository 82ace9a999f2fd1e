import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Engine } from '@eaas/protocol';
import { nodeEngine } from '@eaas/protocol/node';
import { openStream, sealStream } from '@eaas/protocol/stream';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';
import { EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/sdk/testing';
import type { Benchmark, Comparison, Contender } from './compare.ts';

type Bytes = Uint8Array<ArrayBuffer>;
type Through = () => ReadableWritablePair<Uint8Array, Uint8Array>;
/** Seals or opens one chunk. */
type OneChunk = (chunk: Bytes, index: number) => Uint8Array | Promise<Uint8Array>;

const chunkLength = 65_536;
const tagLength = 16;
const count = 256;
const target = 0.8;
const content = concat(
  Array.from({ length: count }, () => crypto.getRandomValues(new Uint8Array(chunkLength))),
);
const dek = crypto.getRandomValues(new Uint8Array(32));
const keyId = '00000000-0000-4000-8000-000000000002';
const wrap = (fresh: Uint8Array) => {
  // The key that is kept wraps nothing else: each run makes a stream of its own.
  kept = fresh.slice();
  return { keyId, keyVersion: 1, wrappedKey: new Uint8Array(78) };
};
let kept = new Uint8Array(32);

// The bare ones do the same to each chunk, and nothing about the whole: no header, no last chunk, chunks ready cut.
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
const sealWeb: OneChunk = async (chunk, index) => {
  const gcm = { name: 'AES-GCM', iv: nonce(index) };
  return new Uint8Array(await crypto.subtle.encrypt(gcm, await imported, chunk));
};
const openWeb: OneChunk = async (chunk, index) => {
  const gcm = { name: 'AES-GCM', iv: nonce(index) };
  return new Uint8Array(await crypto.subtle.decrypt(gcm, await imported, chunk));
};

function bare(oneChunk: OneChunk): Through {
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

/** 16 MiB through a stream, in pieces of one size. */
function piped(name: string, input: Bytes, pieceLength: number, through: Through): Contender {
  return { name, run: () => drain(piecesOf(input, pieceLength).pipeThrough(through())) };
}

/** The same chunks without any stream. */
function looped(name: string, input: Bytes, chunk: number, oneChunk: OneChunk): Contender {
  return {
    name,
    run: () => {
      const out: unknown[] = [];
      for (let index = 0; index < count; index++) {
        out.push(oneChunk(input.subarray(index * chunk, (index + 1) * chunk), index));
      }
      return out[0] instanceof Promise ? Promise.all(out) : out;
    },
  };
}

function piecesOf(input: Bytes, length: number): ReadableStream<Bytes> {
  let at = 0;
  return new ReadableStream<Bytes>(
    {
      pull(controller) {
        if (at === input.length) return controller.close();
        const end = Math.min(input.length, at + length);
        controller.enqueue(input.subarray(at, end));
        at = end;
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

async function comparisonsOf(engine: Engine, sealOne: OneChunk, openOne: OneChunk): Promise<Comparison[]> {
  const sealing: Through = () => sealStream(wrap, { engine });
  const sealed = concat(await drain(piecesOf(content, chunkLength).pipeThrough(sealing())));
  const own = kept;
  const opening: Through = () => openStream(() => own.slice(), { engine, keyId });
  const chunks: Uint8Array[] = [];
  for (let index = 0; index < count; index++) {
    const chunk = content.subarray(index * chunkLength, (index + 1) * chunkLength);
    chunks.push(await sealOne(chunk, index));
  }
  const bareSealed = concat(chunks);
  const sealedLength = chunkLength + tagLength;
  const { name } = engine;
  return [
    {
      ours: piped(`sealStream, ${name}, 64K`, content, chunkLength, sealing),
      reference: piped('bare, piped', content, chunkLength, bare(sealOne)),
      target,
    },
    {
      ours: piped(`openStream, ${name}, 64K`, sealed, chunkLength, opening),
      reference: piped('bare, piped', bareSealed, sealedLength, bare(openOne)),
      target,
    },
    {
      ours: piped(`sealStream, ${name}, 1M`, content, 16 * chunkLength, sealing),
      reference: looped('bare, in a loop', content, chunkLength, sealOne),
    },
    {
      ours: piped(`openStream, ${name}, 1M`, sealed, 16 * chunkLength, opening),
      reference: looped('bare, in a loop', bareSealed, sealedLength, openOne),
    },
  ];
}

/** 16 MiB as one value, through a client that has its data key, and at once. */
async function wholeOf(fields: Engine, sealOne: OneChunk, openOne: OneChunk): Promise<Comparison[]> {
  const service = createTestService();
  const { baseUrl, apiKey, fetch } = service;
  const { key_id } = service.createKey('benchmark');
  const client = new EaasClient({ baseUrl, apiKey, fetch, keyId: key_id, engines: { fields } });
  const envelope = await client.encryptBytes(content);
  const sealed = concat([await sealOne(content, 0)]);
  const seal = { name: `encryptBytes, ${fields.name}`, run: () => client.encryptBytes(content) };
  const unseal = { name: `decrypt, ${fields.name}`, run: () => client.decrypt(envelope) };
  // Awaited, as ours are: without the turn of the event loop, memory is freed at another time. WebCrypto is not what
  // serves in Node.
  const held = fields === nodeEngine ? { target } : {};
  const awaited = [
    { ours: seal, reference: { name: 'bare, awaited', run: async () => sealOne(content, 0) }, ...held },
    { ours: unseal, reference: { name: 'bare, awaited', run: async () => openOne(sealed, 0) }, ...held },
  ];
  if (fields !== nodeEngine) return awaited;
  return [
    ...awaited,
    { ours: seal, reference: { name: 'bare, no turn between', run: () => sealOne(content, 0) } },
    { ours: unseal, reference: { name: 'bare, no turn between', run: () => openOne(sealed, 0) } },
  ];
}

export const benchmark: Benchmark = {
  name: 'streams',
  about:
    '16 MiB through a stream in pieces of 64 KiB or 1 MiB, and as one value, against bare AES-256-GCM of the same',
  comparisons: async (): Promise<readonly Comparison[]> => [
    ...(await comparisonsOf(nodeEngine, sealNode, openNode)),
    ...(await comparisonsOf(webCryptoEngine, sealWeb, openWeb)),
    ...(await wholeOf(nodeEngine, sealNode, openNode)),
    ...(await wholeOf(webCryptoEngine, sealWeb, openWeb)),
  ],
};

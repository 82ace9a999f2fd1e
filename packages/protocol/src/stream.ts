import { abytes, concatBytes, equalBytes } from '@noble/ciphers/utils.js';
import { encodeContext } from './context.ts';
import { type Derived, derive } from './derive.ts';
import type { Engine } from './engines/engine.ts';
import { nobleEngine } from './engines/noble.ts';
import { commitmentLength, formatHeader, type Header, readHeader, tagLength, truncated } from './envelope.ts';
import { DecryptionError, FormatError } from './errors.ts';
import { dekLength, streamChunkLength } from './limits.ts';
import { pae } from './pae.ts';
import { randomBytes } from './random.ts';
import { type ExpectedKey, requireExpectedKey, type SealOptions, type Unwrap, type Wrap } from './seal.ts';

const saltLength = 32;
const noAad = /* @__PURE__ */ new Uint8Array(0);

type Context = SealOptions['context'];
type Bytes = Uint8Array;

/**
 * Encrypts a stream of any length in constant memory: the envelope, version 2, chunk by chunk. A fresh DEK is
 * wrapped before the first byte leaves.
 */
export function sealStream(wrap: Wrap, options: SealOptions = {}): TransformStream<Bytes, Bytes> {
  const { context, engine = nobleEngine } = options;
  const pending = new Chunker(streamChunkLength);
  let key: unknown;
  let counter = 0;
  const sealChunk = async (chunk: Bytes, last: boolean): Promise<Bytes> => {
    const out = new Uint8Array(chunk.length + tagLength);
    await engine.encrypt(key, nonce(counter++, last), noAad, chunk, out);
    return out;
  };
  return new TransformStream<Bytes, Bytes>({
    async start(controller) {
      const dek = randomBytes(dekLength);
      try {
        const header = formatHeader(2, await wrap(dek));
        const salt = randomBytes(saltLength);
        const derived = await deriveStreamKey(engine, dek, salt, header, context);
        key = derived.key;
        controller.enqueue(concatBytes(header, salt, derived.commitment));
      } finally {
        dek.fill(0);
      }
    },
    async transform(bytes, controller) {
      for (const chunk of pending.push(bytes)) controller.enqueue(await sealChunk(chunk, false));
    },
    async flush(controller) {
      controller.enqueue(await sealChunk(pending.rest(), true));
      engine.wipe(key);
    },
  });
}

/**
 * Opens a stream of version 2. A chunk leaves only when it is authenticated, and the stream ends without an
 * error only when its last chunk was seen: a cut, a swap or an addition is a DecryptionError.
 */
export function openStream(
  unwrap: Unwrap,
  { context, engine = nobleEngine, ...expected }: SealOptions & ExpectedKey,
): TransformStream<Bytes, Bytes> {
  const pending = new Chunker(streamChunkLength + tagLength);
  let head: Bytes = noAad;
  let key: unknown;
  let counter = 0;

  const release = async (
    chunk: Uint8Array,
    last: boolean,
    controller: TransformStreamDefaultController<Bytes>,
  ): Promise<void> => {
    // Only a stream without any content ends in an empty chunk.
    const tooShort = chunk.length < tagLength + (counter === 0 ? 0 : 1);
    const plaintext = tooShort ? undefined : await engine.decrypt(key, nonce(counter, last), noAad, chunk);
    if (!plaintext) {
      engine.wipe(key);
      throw new DecryptionError();
    }
    counter++;
    if (plaintext.length > 0) controller.enqueue(plaintext);
  };

  return new TransformStream<Bytes, Bytes>({
    async transform(bytes, controller) {
      let content = bytes;
      if (key === undefined) {
        head = concatBytes(head, bytes);
        const start = readStreamHead(head);
        if (!start) return;
        requireExpectedKey(start.keyId, expected);
        key = await openStreamKey(engine, unwrap, start, context);
        content = head.subarray(start.end);
        head = noAad;
      }
      for (const chunk of pending.push(content)) await release(chunk, false, controller);
    },
    async flush(controller) {
      if (key === undefined) throw truncated();
      await release(pending.rest(), true, controller);
      engine.wipe(key);
    },
  });
}

interface StreamHead extends Header {
  readonly salt: Uint8Array;
  readonly commitment: Uint8Array;
  readonly end: number;
}

function readStreamHead(bytes: Uint8Array): StreamHead | undefined {
  const header = readHeader(bytes);
  if (header && header.version !== 2)
    throw new FormatError('this is a single envelope (version 1), not a stream');
  if (!header || bytes.length < header.length + saltLength + commitmentLength) return undefined;
  const commitmentAt = header.length + saltLength;
  const end = commitmentAt + commitmentLength;
  const salt = bytes.subarray(header.length, commitmentAt);
  return { ...header, salt, commitment: bytes.subarray(commitmentAt, end), end };
}

async function openStreamKey(
  engine: Engine,
  unwrap: Unwrap,
  head: StreamHead,
  context: Context,
): Promise<unknown> {
  const dek = await unwrap(head);
  try {
    const { key, commitment } = await deriveStreamKey(engine, dek, head.salt, head.prefix, context);
    if (equalBytes(commitment, head.commitment)) return key;
    throw new DecryptionError();
  } finally {
    dek.fill(0);
  }
}

function deriveStreamKey(
  engine: Engine,
  dek: Uint8Array,
  salt: Uint8Array,
  header: Uint8Array,
  context: Context,
): Derived | Promise<Derived> {
  const info = pae('eaas stream v2', header.subarray(0, 20), encodeContext(context));
  return derive(engine, dek, salt, info);
}

/** The chunk's number in 11 bytes, then whether it is the last. */
function nonce(counter: number, last: boolean): Uint8Array {
  const bytes = new Uint8Array(12);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(3, BigInt(counter));
  view.setUint8(11, last ? 1 : 0);
  return bytes;
}

/** Cuts what arrives into pieces of one size, and holds the last one back: it may be the end. */
class Chunker {
  readonly #buffer: Uint8Array;
  #filled = 0;

  constructor(size: number) {
    this.#buffer = new Uint8Array(size);
  }

  *push(bytes: Uint8Array): Generator<Uint8Array> {
    abytes(bytes);
    let at = 0;
    while (at < bytes.length) {
      if (this.#filled === this.#buffer.length) {
        yield this.#buffer.slice();
        this.#filled = 0;
      }
      const part = bytes.subarray(at, at + this.#buffer.length - this.#filled);
      this.#buffer.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
    }
  }

  rest(): Uint8Array {
    return this.#buffer.slice(0, this.#filled);
  }
}

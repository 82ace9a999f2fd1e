import type { Engine } from './engines/engine.ts';
import { tagLength } from './envelope.ts';
import { DecryptionError, InputError } from './errors.ts';

type Bytes = Uint8Array<ArrayBuffer>;
/** At once from a synchronous engine. */
export type Result = Uint8Array | Promise<Uint8Array>;

/** Seals and opens the chunks of one stream. */
export interface ChunkCipher {
  seal(plaintext: Uint8Array, index: number, last: boolean): Result;
  /** Throws DecryptionError, or rejects with it: a chunk that was altered, or stands elsewhere than it was sealed for. */
  open(body: Uint8Array, index: number, last: boolean): Result;
  /** Overwrites the key, where its engine can; from then on nothing is sealed or opened. */
  wipe(): void;
}

const noAad = /* @__PURE__ */ new Uint8Array(0);

export function chunkCipher(engine: Engine, streamKey: unknown): ChunkCipher {
  let key: unknown = streamKey;
  const requireKey = (): unknown => {
    // An overwritten key is all zeros, and zeros would seal.
    if (key === undefined) throw new InputError('this stream was closed');
    return key;
  };
  return {
    seal(plaintext, index, last) {
      const length = plaintext.length + tagLength;
      const out: Bytes = engine.allocate?.(length) ?? new Uint8Array(length);
      const sealed = engine.encrypt(requireKey(), nonce(index, last), noAad, plaintext, out);
      return sealed instanceof Promise ? sealed.then(() => out) : out;
    },
    open(body, index, last) {
      // Only a stream without any content ends in an empty chunk.
      if (body.length < tagLength + (index === 0 ? 0 : 1)) throw new DecryptionError();
      const opened = engine.decrypt(requireKey(), nonce(index, last), noAad, body);
      return opened instanceof Promise ? opened.then(authentic) : authentic(opened);
    },
    wipe() {
      if (key !== undefined) engine.wipe(key);
      key = undefined;
    },
  };
}

function authentic(plaintext: Uint8Array | undefined): Uint8Array {
  if (!plaintext) throw new DecryptionError();
  return plaintext;
}

/** The chunk's number in 11 bytes, then whether it is the last. */
function nonce(index: number, last: boolean): Uint8Array {
  const bytes = new Uint8Array(12);
  const view = new DataView(bytes.buffer);
  view.setUint32(3, Math.floor(index / 2 ** 32));
  view.setUint32(7, index);
  bytes[11] = last ? 1 : 0;
  return bytes;
}

import { abytes } from '@noble/ciphers/utils.js';

/** Cuts what arrives into pieces of one size, and holds the last one back: it may be the end. */
export class Cutter {
  readonly #held: Uint8Array;
  #length = 0;

  constructor(size: number) {
    this.#held = new Uint8Array(size);
  }

  /**
   * Every piece that something follows. A view, of `bytes` where they hold it whole: valid until the next one is asked
   * for. What is held back is copied, because whoever wrote it may write over it.
   */
  *push(bytes: Uint8Array): Generator<Uint8Array> {
    abytes(bytes);
    const held = this.#held;
    let at = 0;
    if (this.#length > 0) {
      at = Math.min(held.length - this.#length, bytes.length);
      held.set(bytes.subarray(0, at), this.#length);
      this.#length += at;
      if (at === bytes.length) return;
      yield held;
    }
    for (; at + held.length < bytes.length; at += held.length) {
      yield bytes.subarray(at, at + held.length);
    }
    held.set(bytes.subarray(at));
    this.#length = bytes.length - at;
  }

  /** The last piece. */
  rest(): Uint8Array {
    return this.#held.subarray(0, this.#length);
  }

  wipe(): void {
    this.#held.fill(0);
  }
}

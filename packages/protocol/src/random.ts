import { ivLength } from './envelope.ts';

/** Random bytes from the platform's cryptographic generator. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length));
}

let ivs = /* @__PURE__ */ new Uint8Array(0);
let used = 0;

/**
 * A random iv (96 bits). Drawn 64 at a time, because in Node the call costs more than the bytes; an iv is public,
 * so none is worth hiding before its time. Keys are never drawn so.
 */
export function randomIv(): Uint8Array {
  if (used === ivs.length) {
    ivs = randomBytes(64 * ivLength);
    used = 0;
  }
  return ivs.subarray(used, (used += ivLength));
}

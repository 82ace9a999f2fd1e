// What all formats do with bytes: hex, comparison in constant time, random bytes, and secrets that are overwritten after use.
import { ivLength } from './format-sizes.ts';

const digits = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) => (256 + byte).toString(16).slice(1));

/** Also returns true for a Uint8Array of another realm. For example, Jest runs tests in another realm than Node. */
export function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === '[object Uint8Array]';
}

/** Encodes bytes as lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += digits[byte];
  return text;
}

/** Decodes hex. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(text.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}

/** A private key of 32 bytes in PKCS #8, as platforms take it (RFC 8410). It is the caller's to wipe. */
export function pkcs8Of(curve: 'x25519' | 'ed25519', key: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(16 + key.length);
  bytes.set(fromHex(`302e020100300506032b65${curve === 'x25519' ? '6e' : '70'}04220420`));
  bytes.set(key, 16);
  return bytes;
}

/**
 * Compares in constant time. Does not import noble's function, which would make the first download of a page larger.
 */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let at = 0; at < a.length; at++) difference |= (a[at] ?? 0) ^ (b[at] ?? 0);
  return difference === 0;
}

/** Fills `out` with the bytes from `at` on. */
export function copyFrom(bytes: Uint8Array, at: number, out: Uint8Array): void {
  for (let index = 0; index < out.length; index++) out[index] = bytes[at + index] ?? 0;
}

export function writeUint32(out: Uint8Array, at: number, integer: number): void {
  for (let byte = 3; byte >= 0; byte--) {
    out[at + byte] = integer;
    integer >>= 8;
  }
}

/** Returns random bytes of the platform. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length));
}

/**
 * Returns what draws random bytes of one length from a pool, which holds 256 draws, because each is slow in Node. The pool is
 * dropped after a second, so that a snapshot of an idle process has none. Do not draw keys in this way, because unused keys
 * would stay in memory.
 */
export function pool(length: number): () => Uint8Array {
  let drawn = new Uint8Array(0);
  let used = 0;
  let until = 0;
  return () => {
    const now = Date.now();
    if (used === drawn.length || now > until) {
      drawn = randomBytes(256 * length);
      used = 0;
      until = now + 1_000;
    }
    used += length;
    return drawn.subarray(used - length, used);
  };
}

export const randomIv = /* @__PURE__ */ pool(ivLength);

/** What the work returns, or undefined if it throws, as for data that somebody may have tampered with. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Calls `work` with a secret, and overwrites the secret afterwards. */
export function using<T>(secret: Uint8Array, work: (secret: Uint8Array) => T): T {
  try {
    return work(secret);
  } finally {
    secret.fill(0);
  }
}

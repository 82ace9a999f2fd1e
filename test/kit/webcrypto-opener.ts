// An independent reader of ciphertexts. It must share no code with the generator of the test vectors.

type Bytes = Uint8Array<ArrayBuffer>;
type Context = Readonly<Record<string, string>>;
export type Failure = 'format' | 'decryption';

export interface Opening {
  readonly dek: Bytes;
  readonly expectedKeyId: string | null;
  readonly context: Context | null;
}

/** Thrown for any refused input. The error has only a code, because details could help an attacker. */
export class Refused extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure);
    this.failure = failure;
  }
}

const { subtle } = globalThis.crypto;
const nothing: Bytes = new Uint8Array(0);
const prefix = [0x79, 0xa6, 0xac];
const wholeChunk = 65_536 + 16;

export function fromBase64(text: string): Bytes {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

function ascii(text: string): Bytes {
  return Uint8Array.from(new TextEncoder().encode(text));
}

export function join(parts: readonly Uint8Array[]): Bytes {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    joined.set(part, end);
    end += part.length;
  }
  return joined;
}

function uint32(value: number): Bytes {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

function pae(parts: readonly Uint8Array[]): Bytes {
  return join([uint32(parts.length), ...parts.flatMap((part) => [uint32(part.length), part])]);
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const differing = a.findIndex((byte, i) => byte !== b[i]);
  if (differing === -1 || differing >= b.length) return a.length - b.length;
  return (a[differing] ?? 0) - (b[differing] ?? 0);
}

function encode(context: Context | null): Bytes {
  const pairs = Object.entries(context ?? {}).map(([name, value]) => [ascii(name), ascii(value)] as const);
  return pae(pairs.sort(([a], [b]) => compareBytes(a, b)).flat());
}

interface Header {
  readonly bound: Bytes;
  readonly rest: Bytes;
}

function splitHeader(bytes: Bytes, version: number, least: number): Header {
  const isOurs = [...prefix, version].every((byte, i) => bytes[i] === byte);
  if (!isOurs || bytes.length < 26) throw new Refused('format');
  const wrappedLength = new DataView(bytes.buffer, bytes.byteOffset).getUint16(24);
  const rest = bytes.subarray(26 + wrappedLength);
  if (wrappedLength < 1 || wrappedLength > 2048 || rest.length < least) throw new Refused('format');
  return { bound: bytes.slice(0, 20), rest };
}

function requireKeyId({ bound }: Header, expected: string | null): void {
  const digits = Array.from(bound.subarray(4), (byte) => byte.toString(16).padStart(2, '0'));
  if (expected !== null && expected.replaceAll('-', '') !== digits.join('')) {
    throw new Refused('decryption');
  }
}

interface Derived {
  readonly encryptionKey: Bytes;
  readonly commitment: Bytes;
}

async function derive(dek: Bytes, salt: Bytes, info: Bytes): Promise<Derived> {
  const secret = await subtle.importKey('raw', dek, 'HKDF', false, ['deriveBits']);
  const bits = await subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, secret, 512);
  return { encryptionKey: new Uint8Array(bits, 0, 32), commitment: new Uint8Array(bits, 32, 32) };
}

export function deriveForMessage(dek: Bytes): Promise<Derived> {
  return derive(dek, nothing, ascii('eaas envelope v1'));
}

async function openingKey(derived: Derived, commitment: Uint8Array): Promise<CryptoKey> {
  let difference = 0;
  derived.commitment.forEach((byte, i) => {
    difference |= byte ^ (commitment[i] ?? 0x100);
  });
  if (difference !== 0) throw new Refused('decryption');
  return subtle.importKey('raw', derived.encryptionKey, 'AES-GCM', false, ['decrypt']);
}

async function decrypt(key: CryptoKey, iv: Bytes, aad: Bytes, sealed: Bytes): Promise<Bytes> {
  const algorithm = { name: 'AES-GCM', iv, additionalData: aad, tagLength: 128 };
  try {
    return new Uint8Array(await subtle.decrypt(algorithm, key, sealed));
  } catch {
    throw new Refused('decryption');
  }
}

export async function openMessage(envelope: Bytes, opening: Opening): Promise<Bytes> {
  const header = splitHeader(envelope, 1, 12 + 32 + 16);
  requireKeyId(header, opening.expectedKeyId);
  const key = await openingKey(await deriveForMessage(opening.dek), header.rest.subarray(12, 44));
  const aad = join([header.bound, encode(opening.context)]);
  return decrypt(key, header.rest.slice(0, 12), aad, header.rest.slice(44));
}

function nonceOf(index: number, isLast: boolean): Bytes {
  const counter = uint32(index);
  return join([new Uint8Array(7), counter, Uint8Array.of(isLast ? 1 : 0)]);
}

export async function openStream(envelope: Bytes, opening: Opening): Promise<Bytes> {
  const header = splitHeader(envelope, 2, 32 + 32);
  requireKeyId(header, opening.expectedKeyId);
  const info = pae([ascii('eaas stream v2'), header.bound, encode(opening.context)]);
  const derived = await derive(opening.dek, header.rest.slice(0, 32), info);
  const key = await openingKey(derived, header.rest.subarray(32, 64));
  return openChunks(key, header.rest.subarray(64));
}

async function openChunks(key: CryptoKey, sealed: Bytes): Promise<Bytes> {
  const opened: Bytes[] = [];
  let at = 0;
  do {
    const chunk = sealed.slice(at, at + wholeChunk);
    const isLast = at + wholeChunk >= sealed.length;
    if (chunk.length === 16 && at > 0) throw new Refused('decryption');
    opened.push(await decrypt(key, nonceOf(opened.length, isLast), nothing, chunk));
    at += wholeChunk;
  } while (at < sealed.length);
  return join(opened);
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

export async function sha256Hex(bytes: Bytes): Promise<string> {
  const digest = new Uint8Array(await subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

import { concatBytes, equalBytes } from '@noble/ciphers/utils.js';
import { encodeContext } from './context.ts';
import { type Derived, derive } from './derive.ts';
import type { Engine } from './engines/engine.ts';
import { commitmentLength, formatHeader, type Header, readHeader, truncated } from './envelope.ts';
import { DecryptionError, FormatError } from './errors.ts';
import { dekLength } from './limits.ts';
import { pae } from './pae.ts';
import { randomBytes } from './random.ts';
import type { SealOptions, Unwrap, Wrap } from './seal.ts';
import { type ChunkCipher, chunkCipher } from './stream-chunk.ts';
import { saltLength } from './stream-size.ts';

type Context = SealOptions['context'];

/** No head is longer: with so many first bytes of a stream, its head is among them. */
export const maxHeadLength = 1_114; // 26 + 1,024 + 32 + 32

/** What stands before the chunks of a stream. Its parts are views of the bytes that were read. */
export interface StreamHead extends Header {
  readonly salt: Uint8Array;
  readonly commitment: Uint8Array;
  /** Where the chunks begin. */
  readonly end: number;
}

/** Reads the head: undefined when it goes on after these bytes. Throws FormatError when they cannot be a stream. */
export function findStreamHead(bytes: Uint8Array): StreamHead | undefined {
  const header = readHeader(bytes);
  if (header && header.version !== 2)
    throw new FormatError('this is a single envelope (version 1), not a stream');
  const commitmentAt = (header?.length ?? maxHeadLength) + saltLength;
  const end = commitmentAt + commitmentLength;
  if (!header || bytes.length < end) return undefined;
  const salt = bytes.subarray(header.length, commitmentAt);
  return { ...header, salt, commitment: bytes.subarray(commitmentAt, end), end };
}

/**
 * Takes the head of a stream apart, given as many of its first bytes as the head has, or more (1,114 always suffice).
 * Throws FormatError when they are not the beginning of a stream.
 */
export function parseStreamHead(bytes: Uint8Array): StreamHead {
  const head = findStreamHead(bytes);
  if (!head) throw truncated();
  return head;
}

/** A new stream under a fresh DEK: its head, and what seals its chunks. */
export async function createStream(
  wrap: Wrap,
  engine: Engine,
  context: Context,
): Promise<{ head: Uint8Array; cipher: ChunkCipher }> {
  // Before anything is wrapped: a context that cannot be used is the caller's mistake.
  const encoded = encodeContext(context);
  const dek = randomBytes(dekLength);
  try {
    const header = formatHeader(2, await wrap(dek));
    const salt = randomBytes(saltLength);
    const { key, commitment } = await deriveStreamKey(engine, dek, salt, header, encoded);
    return { head: concatBytes(header, salt, commitment), cipher: chunkCipher(engine, key) };
  } finally {
    dek.fill(0);
  }
}

/** What opens the chunks of a stream. Throws DecryptionError when its DEK or its context is another. */
export async function openHead(
  head: StreamHead,
  unwrap: Unwrap,
  engine: Engine,
  context: Context,
): Promise<ChunkCipher> {
  const encoded = encodeContext(context);
  const dek = await unwrap(head);
  try {
    const { key, commitment } = await deriveStreamKey(engine, dek, head.salt, head.prefix, encoded);
    const cipher = chunkCipher(engine, key);
    if (equalBytes(commitment, head.commitment)) return cipher;
    cipher.wipe();
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
  context: Uint8Array,
): Derived | Promise<Derived> {
  return derive(engine, dek, salt, pae('eaas stream v2', header.subarray(0, 20), context));
}

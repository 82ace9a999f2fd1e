import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  deriveForMessage,
  type Failure,
  fromBase64,
  type Opening,
  openMessage,
  openStream,
  Refused,
  sha256Hex,
  toBase64,
} from '@eaas/test-kit/webcrypto-opener';

type Bytes = Uint8Array<ArrayBuffer>;
type Open = (envelope: Bytes, opening: Opening) => Promise<Bytes>;
type Plaintext = string | { readonly pattern: string; readonly length: number };
type Edit =
  | readonly ['cut', number, number]
  | readonly ['flip', number, number]
  | readonly ['append', string]
  | readonly ['swap_chunks', number, number]
  | readonly ['repeat_chunk', number];

interface Given {
  readonly name: string;
  readonly dek: string;
  readonly context: Readonly<Record<string, string>> | null;
}
interface Case extends Given {
  readonly key_id: string;
  readonly plaintext: Plaintext;
  readonly encryption_key: string;
  readonly commitment: string;
  readonly ciphertext: string | null;
}
interface StreamCase extends Case {
  readonly header: string;
  readonly ciphertext_length: number;
  readonly ciphertext_sha256: string;
}
interface Change extends Given {
  readonly expected_key_id: string | null;
  readonly ciphertext: string;
  readonly plaintext: string;
}
interface Refusal extends Given {
  readonly expected_key_id: string | null;
  readonly error: Failure;
  readonly ciphertext?: string;
  readonly base?: string;
  readonly edit?: readonly Edit[];
}
interface Vectors<C extends Case> {
  readonly cases: readonly C[];
  readonly accepted_changes: readonly Change[];
  readonly refusals: readonly Refusal[];
}

function read<C extends Case>(file: string): Vectors<C> {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as Vectors<C>;
}

function openingOf(given: Given, expectedKeyId: string | null): Opening {
  return { dek: fromBase64(given.dek), expectedKeyId, context: given.context };
}

function plaintextOf(plaintext: Plaintext): Bytes {
  if (typeof plaintext === 'string') return fromBase64(plaintext);
  expect(plaintext.pattern).toBe('i * 7 + (i >> 8)');
  return new Uint8Array(plaintext.length).map((_, i) => i * 7 + (i >> 8));
}

/**
 * Returns whether two byte arrays are equal. Does not use `toEqual`, for which Vitest would print up to 64 KiB of
 * differences.
 */
function same(opened: Bytes, expected: Bytes): boolean {
  return opened.length === expected.length && opened.every((byte, i) => byte === expected[i]);
}

async function failureOf(opening: Promise<Bytes>): Promise<Failure | 'it opened'> {
  try {
    await opening;
  } catch (error) {
    if (error instanceof Refused) return error.failure;
    throw error;
  }
  return 'it opened';
}

function changesOpen(changes: readonly Change[], open: Open): void {
  test.each(changes)('WebCrypto opens: $name', async (change) => {
    const opened = await open(fromBase64(change.ciphertext), openingOf(change, change.expected_key_id));
    expect(same(opened, fromBase64(change.plaintext))).toBe(true);
  });
}

describe('the envelope, version 1', () => {
  const { cases, accepted_changes: changes, refusals } = read('envelope-v1.json');

  test.each(cases)('WebCrypto opens: $name', async (message) => {
    const { encryptionKey, commitment } = await deriveForMessage(fromBase64(message.dek));
    expect(toBase64(encryptionKey)).toBe(message.encryption_key);
    expect(toBase64(commitment)).toBe(message.commitment);
    const envelope = fromBase64(message.ciphertext ?? '');
    const opened = await openMessage(envelope, openingOf(message, message.key_id));
    expect(same(opened, plaintextOf(message.plaintext))).toBe(true);
  });

  changesOpen(changes, openMessage);

  test.each(refusals)('WebCrypto refuses: $name', async (refusal) => {
    const envelope = fromBase64(refusal.ciphertext ?? '');
    const opening = openMessage(envelope, openingOf(refusal, refusal.expected_key_id));
    expect(await failureOf(opening)).toBe(refusal.error);
  });
});

describe('the envelope, version 2', () => {
  const { cases, accepted_changes: changes, refusals } = read<StreamCase>('envelope-v2.json');

  test.each(cases.filter(({ ciphertext }) => ciphertext !== null))(
    'WebCrypto opens: $name',
    async (stream) => {
      const envelope = fromBase64(stream.ciphertext ?? '');
      expect(envelope.length).toBe(stream.ciphertext_length);
      expect(await sha256Hex(envelope)).toBe(stream.ciphertext_sha256);
      const opened = await openStream(envelope, openingOf(stream, stream.key_id));
      expect(same(opened, plaintextOf(stream.plaintext))).toBe(true);
    },
  );

  changesOpen(changes, openStream);

  test.each(refusals)('WebCrypto refuses: $name', async (refusal) => {
    const envelope = envelopeOf(refusal, cases);
    const opening = openStream(envelope, openingOf(refusal, refusal.expected_key_id));
    expect(await failureOf(opening)).toBe(refusal.error);
  });
});

const sealedChunk = 65_552;

function envelopeOf({ ciphertext, base, edit }: Refusal, cases: readonly StreamCase[]): Bytes {
  if (ciphertext !== undefined) return fromBase64(ciphertext);
  const stream = cases.find(({ name }) => name === base);
  if (!stream?.ciphertext || !edit) throw new Error(`no case named ${base}`);
  const start = fromBase64(stream.header).length;
  const bytes = Array.from(fromBase64(stream.ciphertext));
  for (const step of edit) apply(step, bytes, start);
  return Uint8Array.from(bytes);
}

function apply(step: Edit, bytes: number[], start: number): void {
  const chunkAt = (index: number): number => start + index * sealedChunk;
  switch (step[0]) {
    case 'cut':
      bytes.splice(step[1], step[2] - step[1]);
      break;
    case 'flip':
      bytes[step[1]] = (bytes[step[1]] ?? 0) ^ step[2];
      break;
    case 'append':
      bytes.push(...fromBase64(step[1]));
      break;
    case 'swap_chunks':
      for (let i = 0; i < sealedChunk; i++) exchange(bytes, chunkAt(step[1]) + i, chunkAt(step[2]) + i);
      break;
    case 'repeat_chunk': {
      const chunk = bytes.slice(chunkAt(step[1]), chunkAt(step[1] + 1));
      bytes.splice(chunkAt(step[1] + 1), 0, ...chunk);
      break;
    }
  }
}

function exchange(bytes: number[], i: number, j: number): void {
  const kept = bytes[i] ?? 0;
  bytes[i] = bytes[j] ?? 0;
  bytes[j] = kept;
}

// Recognises the headers of envelopes that were read before, because the rows of a table mostly share a data key.
import { parseEnvelope, envelopeLength, type Header, parseHeader } from '@eaas/protocol/internal';
import { Bounded } from '../bounded.ts';
import type { Partition } from './derive.ts';

export interface KnownHeader {
  readonly bytes: Uint8Array;
  readonly header: Header;
  /** The name of the data key in the cache, of the calls with the members below. */
  name: string;
  subject?: Partition['subject'];
  user?: Partition['user'];
  form?: string;
}

export function createHeaderReader(most: number) {
  const known = new Bounded<number, KnownHeader>((size) => size > most);
  let last: KnownHeader | undefined;
  let headerLength = 0;

  const read = (envelope: Uint8Array): KnownHeader => {
    headerLength = parseEnvelope(envelope).length;
    // Copies the header, because `subarray` alone would keep the whole ciphertext in memory.
    const bytes = new Uint8Array(envelope.subarray(0, headerLength));
    return { bytes, header: parseHeader(bytes), name: '' };
  };

  return (envelope: Uint8Array): KnownHeader => {
    // The header of the previous envelope is tried first, because consecutive rows often have the same data key and
    // header.
    if (!startsWith(envelope, last)) {
      const found = known.get(hashOf(envelope, headerLength));
      last = startsWith(envelope, found) ? found : read(envelope);
      known.set(hashOf(envelope, headerLength), last);
    }
    return last;
  };
}

/**
 * Returns the last four bytes of the header as a number, by which a Map finds the header. These bytes differ for each
 * data key, because they are a part of the authentication tag of the wrapped key.
 */
function hashOf(envelope: Uint8Array, headerLength: number): number {
  let hash = 0;
  for (let at = headerLength - 4; at < headerLength; at++) hash = (hash << 8) | (envelope[at] ?? 0);
  return hash;
}

/** Compares from the end, because all headers of one key begin with the same bytes. */
function startsWith(envelope: Uint8Array, known: KnownHeader | undefined): known is KnownHeader {
  if (!known) return false;
  const { bytes } = known;
  // An envelope that is shorter than one of an empty plaintext is truncated.
  if (envelope.length < envelopeLength(bytes.length, 0)) return false;
  for (let at = bytes.length - 1; at >= 0; at--) if (bytes[at] !== envelope[at]) return false;
  return true;
}

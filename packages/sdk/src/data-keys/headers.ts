import { parseEnvelope } from '@eaas/protocol';
import { toBase64 } from '@eaas/protocol/base64';
import { type Header, parseHeader } from '@eaas/protocol/internal';

export interface KnownHeader {
  readonly bytes: Uint8Array;
  readonly header: Header;
  scope?: string | undefined;
  form?: string;
  name?: string;
}

export function createHeaderReader(most: number) {
  const known = new Map<string, KnownHeader>();
  let last: KnownHeader | undefined;
  let headerLength = 0;

  const read = (envelope: Uint8Array): KnownHeader => {
    ({ length: headerLength } = parseEnvelope(envelope));
    // A view of the header would keep the whole ciphertext in memory.
    const bytes = new Uint8Array(envelope.subarray(0, headerLength));
    const fresh = { bytes, header: parseHeader(bytes) };
    if (known.size >= most) known.clear();
    known.set(toBase64(bytes), fresh);
    return fresh;
  };

  return (envelope: Uint8Array): KnownHeader => {
    // Consecutive rows often have the same data key.
    if (last && startsWith(envelope, last.bytes)) return last;
    return (last = known.get(toBase64(envelope.subarray(0, headerLength))) ?? read(envelope));
  };
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  for (let at = 0; at < start.length; at++) if (bytes[at] !== start[at]) return false;
  return true;
}

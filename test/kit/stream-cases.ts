import type { Edit, StreamCase, StreamRefusal } from './vectors.ts';
// The functions of this file must not use Node's Buffer, because every runtime runs them.
import { fromBase64 as bytes, join } from './bytes.ts';

const sealedChunk = 65_552;

export function plaintextOf({ plaintext }: StreamCase): Uint8Array {
  if (typeof plaintext === 'string') return bytes(plaintext);
  const content = new Uint8Array(plaintext.length);
  for (let i = 0; i < content.length; i++) content[i] = i * 7 + (i >> 8);
  return content;
}

export function refusedBytes(refusal: StreamRefusal, cases: readonly StreamCase[]): Uint8Array {
  if (refusal.ciphertext !== undefined) return bytes(refusal.ciphertext);
  const base = cases.find(({ name }) => name === refusal.base);
  if (!base?.ciphertext) throw new Error(`expected a case with a ciphertext to alter (got ${refusal.base})`);
  const start = bytes(base.header).length;
  return (refusal.edit ?? []).reduce<Uint8Array>(
    (altered, edit) => apply(edit, altered, start),
    bytes(base.ciphertext),
  );
}

function apply(edit: Edit, from: Uint8Array, start: number): Uint8Array {
  const chunk = (index: number): Uint8Array =>
    from.subarray(start + index * sealedChunk, start + (index + 1) * sealedChunk);
  switch (edit[0]) {
    case 'cut':
      return join([from.subarray(0, edit[1]), from.subarray(edit[2])]);
    case 'flip':
      return from.map((byte, at) => (at === edit[1] ? byte ^ edit[2] : byte));
    case 'append':
      return join([from, bytes(edit[1])]);
    case 'repeat_chunk':
      return join([
        from.subarray(0, start + (edit[1] + 1) * sealedChunk),
        from.subarray(start + edit[1] * sealedChunk),
      ]);
    case 'swap_chunks': {
      const swapped = from.slice();
      swapped.set(chunk(edit[2]), start + edit[1] * sealedChunk);
      swapped.set(chunk(edit[1]), start + edit[2] * sealedChunk);
      return swapped;
    }
    default:
      throw new Error('an unknown edit');
  }
}

import { base64, concat, empty, flip, overwrite } from '../reference/bytes.mjs';
import { openStream, sealChunk, sealedChunkLength } from '../reference/stream.mjs';
import { alteredBits, truncations, wrongHeaders, wrongOpenings } from './envelope-v1-refusals.mjs';
import { assertRefused } from './places.mjs';

function fieldsOf({ header, ciphertext, wrapped_key }) {
  const wrappedEnd = 26 + wrapped_key.length;
  return {
    magic: [0, 3],
    version: [3, 4],
    key_id: [4, 20],
    n: [24, 26],
    salt: [wrappedEnd, wrappedEnd + 32],
    commitment: [wrappedEnd + 32, header.length],
    body: [header.length, ciphertext.length - 16],
    tag: [ciphertext.length - 16, ciphertext.length],
  };
}

function alterations(bound, opening) {
  return [
    ...alteredBits(bound.ciphertext, fieldsOf(bound), opening),
    {
      name: 'altered key_id, any key id will do',
      ciphertext: flip(bound.ciphertext, 19, 0x01),
      ...opening,
      expected_key_id: null,
      error: 'decryption',
    },
  ];
}

function wrongChunks({ one, empty: none, plain, bound }) {
  const of = (stream, name, ...chunks) => ({
    name,
    ciphertext: concat(stream.header, ...chunks),
    dek: stream.dek,
    expected_key_id: stream.key_id,
    context: stream.context,
    error: 'decryption',
  });
  const seal = (counter, last, bytes = one.plaintext) => sealChunk(one.key, counter, last, bytes);
  const commitmentAt = plain.header.length - 32;
  const forged = overwrite(plain.ciphertext, commitmentAt, bound.commitment);
  return [
    of(one, 'the only chunk not marked as last', seal(0, false)),
    of(one, 'the only chunk counted as 1', seal(1, true)),
    of(one, 'a short chunk before the last', seal(0, false), seal(1, true)),
    of(one, 'an empty last chunk after a short one', seal(0, false), seal(1, true, empty)),
    of(one, 'two last chunks', seal(0, true), seal(1, true)),
    of(one, 'a byte after the last chunk', ...one.chunks, Buffer.of(0)),
    of(none, 'empty, and not marked as last', sealChunk(none.key, 0, false, empty)),
    of(none, 'empty, and twice', ...none.chunks, sealChunk(none.key, 1, true, empty)),
    of(one, 'the chunk of another stream', ...plain.chunks),
    { ...of(plain, 'chunks of this DEK, committed to another'), ciphertext: forged },
  ];
}

const at = (stream, chunk, offset = 0) => stream.header.length + chunk * sealedChunkLength + offset;

function editedStreams({ full, over, double }) {
  const of = (base, name, ...edit) => ({
    name,
    base,
    edit,
    dek: base.dek,
    expected_key_id: base.key_id,
    context: base.context,
    error: 'decryption',
  });
  const toEnd = (stream, from) => ['cut', from, stream.ciphertext.length];
  const emptyLast = base64(sealChunk(over.key, 1, true, empty));
  return [
    of(double, 'chunks swapped', ['swap_chunks', 0, 1]),
    of(double, 'a chunk repeated', ['repeat_chunk', 0]),
    of(double, 'the last chunk repeated', ['repeat_chunk', 1]),
    of(double, 'first chunk dropped', ['cut', at(double, 0), at(double, 1)]),
    of(double, 'last chunk dropped', toEnd(double, at(double, 1))),
    of(over, 'last chunk of one byte dropped', toEnd(over, at(over, 1))),
    of(over, 'last chunk replaced by an empty one', toEnd(over, at(over, 1)), ['append', emptyLast]),
    of(double, 'cut inside the first chunk', toEnd(double, at(double, 0, 1000))),
    of(double, 'cut inside the last chunk', toEnd(double, at(double, 1, 1000))),
    of(
      double,
      'cut behind the first bytes of the last chunk: no room for a tag',
      toEnd(double, at(double, 1, 15)),
    ),
    of(double, 'last byte cut off', toEnd(double, double.ciphertext.length - 1)),
    of(full, 'a byte after a full last chunk', ['append', base64(Buffer.of(0))]),
    of(full, 'an authentic chunk after the last', [
      'append',
      base64(sealChunk(full.key, 1, true, Buffer.from('x'))),
    ]),
    of(full, 'an authentic empty chunk after the last', [
      'append',
      base64(sealChunk(full.key, 1, true, empty)),
    ]),
    of(double, 'altered tag of the first chunk', ['flip', at(double, 1) - 1, 1]),
    of(double, 'altered body of the last chunk', ['flip', at(double, 1), 128]),
    of(double, 'altered salt', ['flip', double.header.length - 64, 128]),
    of(double, 'altered commitment', ['flip', double.header.length - 1, 1]),
    { ...of(double, 'wrong context for 128 KiB'), edit: [], context: { ...double.context, row: '4712' } },
  ];
}

function applyEdit(base, edit) {
  return edit.reduce(
    (bytes, [step, ...args]) => steps[step](bytes, base.header.length, ...args),
    base.ciphertext,
  );
}

const steps = {
  cut: (bytes, _, from, to) => concat(bytes.subarray(0, from), bytes.subarray(to)),
  flip: (bytes, _, offset, mask) => flip(bytes, offset, mask),
  append: (bytes, _, added) => concat(bytes, Buffer.from(added, 'base64')),
  swap_chunks: (bytes, start, i, j) =>
    overwrite(
      overwrite(bytes, start + i * sealedChunkLength, chunkOf(bytes, start, j)),
      start + j * sealedChunkLength,
      chunkOf(bytes, start, i),
    ),
  repeat_chunk: (bytes, start, i) => {
    const end = start + (i + 1) * sealedChunkLength;
    return concat(bytes.subarray(0, end), chunkOf(bytes, start, i), bytes.subarray(end));
  },
};

const chunkOf = (bytes, start, i) =>
  bytes.subarray(start + i * sealedChunkLength, start + (i + 1) * sealedChunkLength);

export function buildRefusals(streams) {
  const { bound, plain } = streams;
  const opening = { dek: bound.dek, expected_key_id: bound.key_id, context: bound.context };
  const refusals = [
    ...alterations(bound, opening),
    ...wrongOpenings(bound, plain, opening),
    ...wrongHeaders(bound.ciphertext, { ...opening, parts: bound }, 2, bound.wrapped_key.length),
    ...truncations(
      bound.ciphertext,
      { ...fieldsOf(bound), wrapped_key: [26], end_of_short_tag: [bound.header.length + 16] },
      opening,
      bound.header.length,
    ),
    ...wrongChunks(streams),
    ...editedStreams(streams),
  ];
  for (const { name, base, edit, error, ciphertext, ...given } of refusals) {
    assertRefused(() => openStream(ciphertext ?? applyEdit(base, edit), given), error, name);
  }
  return refusals;
}

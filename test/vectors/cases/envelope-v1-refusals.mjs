import { concat, draw, flip, fromHex, overwrite, u16 } from '../reference/bytes.mjs';
import { deriveFromDek, fieldsOf, openEnvelope } from '../reference/envelope.mjs';
import { writeHeader } from '../reference/header.mjs';
import { assertRefused, otherKey } from './places.mjs';

/**
 * Alters the first bit and the last bit of each field. If the last bit of the field n is altered, the lengths remain
 * valid.
 */
export function alteredBits(bytes, fields, opening) {
  return Object.entries(fields).flatMap(([field, [from, to]]) => {
    const early = field === 'magic' || field === 'version';
    const first = { name: `altered ${field}, first bit`, ciphertext: flip(bytes, from, 0x80) };
    const last = { name: `altered ${field}, last bit`, ciphertext: flip(bytes, to - 1, 0x01) };
    return [
      { ...first, ...opening, error: early || field === 'n' ? 'format' : 'decryption' },
      { ...last, ...opening, error: early ? 'format' : 'decryption' },
    ];
  });
}

function alterations({ bound, empty }, opening) {
  const { key_version: _version, wrapped_key: _wrapped, ...fields } = fieldsOf(bound.ciphertext);
  const relabelled = overwrite(bound.ciphertext, 4, fromHex(otherKey.replaceAll('-', '')));
  return [
    ...alteredBits(bound.ciphertext, fields, opening),
    {
      name: 'altered n where the message is empty: too short by a byte',
      ciphertext: flip(empty.ciphertext, 25, 0x01),
      dek: empty.dek,
      expected_key_id: empty.key_id,
      context: null,
      error: 'format',
    },
    {
      name: 'altered key_id, any key id will do',
      ciphertext: flip(bound.ciphertext, 19, 0x01),
      ...opening,
      expected_key_id: null,
      error: 'decryption',
    },
    {
      name: 'another key_id, and that one is expected',
      ciphertext: relabelled,
      ...opening,
      expected_key_id: otherKey,
      error: 'decryption',
    },
  ];
}

export function wrongOpenings(bound, plain, opening) {
  const { ciphertext } = bound;
  const { row, ...fewer } = bound.context;
  const wrong = (name, more) => ({ name, ciphertext, ...opening, ...more, error: 'decryption' });
  return [
    wrong('wrong DEK', { dek: draw('wrong dek', 32) }),
    wrong('DEK with one altered bit', { dek: flip(bound.dek, 31, 0x01) }),
    wrong('another value in the context', { context: { ...bound.context, row: '4712' } }),
    wrong('another name in the context', { context: { ...fewer, Row: row } }),
    wrong('a name of the context missing', { context: fewer }),
    wrong('a name too many in the context', { context: { ...bound.context, extra: '' } }),
    wrong('two values of the context exchanged', {
      context: { ...bound.context, table: 'diagnosis', column: 'patients' },
    }),
    wrong('context missing', { context: null }),
    wrong('context {}', { context: {} }),
    wrong('another key id is expected', { expected_key_id: otherKey }),
    {
      name: 'a context where there was none',
      ciphertext: plain.ciphertext,
      dek: plain.dek,
      expected_key_id: plain.key_id,
      context: bound.context,
      error: 'decryption',
    },
  ];
}

export function wrongHeaders(bytes, opening, version, wrappedLength) {
  const { parts, ...rest } = opening;
  const tail = bytes.subarray(26 + wrappedLength);
  const sized = (length) =>
    concat(writeHeader(version, { ...parts, wrapped_key: draw('sized', length) }), tail);
  const wrong = (name, ciphertext, more) => ({ name, ciphertext, ...rest, ...more, error: 'format' });
  const versions = [0x00, version === 1 ? 0x02 : 0x01, 0x03, 0xff];
  return [
    ...versions.map((other) =>
      wrong(`version ${other.toString(16).padStart(2, '0')}`, overwrite(bytes, 3, Buffer.of(other))),
    ),
    wrong('n = 0, without wrapped_key', sized(0)),
    wrong('n = 0, wrapped_key left in place', overwrite(bytes, 24, u16(0))),
    wrong('n = 2049', sized(2049)),
    wrong('n = 65535', overwrite(bytes, 24, u16(65535))),
    wrong('other magic and a wrong DEK: format comes first', flip(bytes, 0, 0x01), {
      dek: draw('wrong dek', 32),
    }),
    wrong('version 03 and another key id: format comes first', overwrite(bytes, 3, Buffer.of(3)), {
      expected_key_id: otherKey,
    }),
    wrong('base64 text of an envelope in place of its bytes', Buffer.from(bytes.toString('base64'), 'ascii')),
    wrong('no bytes at all', Buffer.alloc(0)),
  ];
}

export function truncations(bytes, fields, opening, shortest) {
  const boundaries = [...Object.values(fields).map(([from]) => from), shortest];
  const ends = boundaries.flatMap((end) => [end - 1, end, end + 1]);
  const lengths = [...new Set([...ends, bytes.length - 1])].filter(
    (length) => length > 0 && length < bytes.length,
  );
  const cut = (length) => ({
    name: `cut to ${length} of ${bytes.length} bytes`,
    ciphertext: bytes.subarray(0, length),
    ...opening,
    error: length < shortest ? 'format' : 'decryption',
  });
  return lengths.sort((a, b) => a - b).map(cut);
}

function forgeries({ plain, bound, twoKeys }) {
  const [from, to] = fieldsOf(plain.ciphertext).commitment;
  const other = deriveFromDek(bound.dek).commitment;
  const forged = overwrite(plain.ciphertext, from, other);
  const opening = { expected_key_id: plain.key_id, context: null, error: 'decryption' };
  return [
    {
      name: 'valid under GCM for this DEK, committed to another',
      ciphertext: forged,
      dek: plain.dek,
      ...opening,
    },
    {
      name: 'valid under GCM for another DEK, committed to this one',
      ciphertext: forged,
      dek: bound.dek,
      ...opening,
    },
    {
      name: 'body that GCM accepts under two keys, committed to the other one',
      ciphertext: twoKeys.ciphertext,
      dek: twoKeys.second,
      ...opening,
      expected_key_id: twoKeys.key_id,
    },
    {
      name: 'commitment of zeros',
      ciphertext: overwrite(plain.ciphertext, from, Buffer.alloc(to - from)),
      dek: plain.dek,
      ...opening,
    },
    {
      name: 'encryption_key in place of the commitment',
      ciphertext: overwrite(plain.ciphertext, from, plain.encryption_key),
      dek: plain.dek,
      ...opening,
    },
  ];
}

export function buildRefusals(messages) {
  const { bound, plain } = messages;
  const { ciphertext } = bound;
  const opening = { dek: bound.dek, expected_key_id: bound.key_id, context: bound.context };
  const shortest = 26 + bound.wrapped_key.length + 12 + 32 + 16;
  const refusals = [
    ...alterations(messages, opening),
    ...wrongOpenings(bound, plain, opening),
    ...wrongHeaders(ciphertext, { ...opening, parts: bound }, 1, bound.wrapped_key.length),
    ...truncations(ciphertext, fieldsOf(ciphertext), opening, shortest),
    {
      name: 'a byte added at the end',
      ciphertext: concat(ciphertext, Buffer.of(0)),
      ...opening,
      error: 'decryption',
    },
    {
      name: 'tag of zeros',
      ciphertext: concat(ciphertext.subarray(0, -16), Buffer.alloc(16)),
      ...opening,
      error: 'decryption',
    },
    {
      name: 'iv of another message',
      ciphertext: overwrite(ciphertext, 26 + bound.wrapped_key.length, plain.iv),
      ...opening,
      error: 'decryption',
    },
    ...forgeries(messages),
  ];
  for (const { name, error, ciphertext: bytes, ...given } of refusals)
    assertRefused(() => openEnvelope(bytes, given), error, name);
  return refusals;
}

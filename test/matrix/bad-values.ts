import type { Kind } from './calls.ts';

const notText = [0, 1.5, true, [], {}, ['x'], { x: 'x' }];
const notList = [0, true, 'x', '', {}, { 0: 'x', length: 1 }];
const long = 'x'.repeat(70_000);

/** JSON values that the server must refuse with 400, for each kind of field. */
export const badInBody: Readonly<Record<Kind, readonly unknown[]>> = {
  text: [...notText, null, long],
  name: [...notText, '', 'a\nb', '\u0000', '\u0085', 'x'.repeat(129)],
  base64: [
    ...notText,
    null,
    '',
    'A',
    'AAA',
    'AAAAA',
    'AA==A',
    'AB==',
    'AA-_',
    ' AAAA',
    'AAAA\n',
    '%%%%',
    'ÄÄÄÄ',
  ],
  'key id': [...notText, null],
  'whole number': ['1', '', 1.5, true, [], [1], {}, null],
  'true or false': ['true', 'false', '', 0, 1, [], {}],
  context: [
    0,
    true,
    'x',
    [],
    [['a', 'b']],
    { a: 1 },
    { a: null },
    { a: ['b'] },
    { a: { b: 'c' } },
    { '': 'x' },
    { a: '\u0000' },
    { 'a\n': 'x' },
    { ['n'.repeat(129)]: 'x' },
    { a: 'x'.repeat(4_096) },
  ],
  list: [...notList, [], [null], [0], [[]], [{}], ['x', 'x']],
  items: [...notList, null, []],
  object: [0, true, 'x', '', [], [{}], {}, { x: 1 }],
  date: [0, true, [], {}, '', 'x', 'now', '2026-11-20', '2099-13-01T00:00:00Z', '2001-01-01T00:00:00Z'],
  days: ['30', '', 0, -1, 1.5, 3_651, true, [], {}, 1e21],
  'any text in a query': [],
  'one of some words': [...notText, null, 'x'],
};

/**
 * Invalid values for each kind of query parameter. The empty string is not in the list, because it is invalid for every
 * kind.
 */
export const badInQuery: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  base64: ['A', '%%%', '\u0000'],
  'whole number': ['x', '-1', '1.5', '1e3', '0x1', ' 1', '+1', '\u0661', 'NaN', 'Infinity', 'null', '\u0000'],
  date: ['x', 'now', '0', '2026', '20261120', '2026-11-20 10:00', '\u0000', '9'.repeat(500)],
  days: ['x', '-1', '366', '1.5', '1e1', '0x1', ' 1', '\u0661'],
  'one of some words': ['x', 'ACTIVE', 'encrypt ', '\u0000', 'constructor', '__proto__'],
};

/** Bodies that every endpoint with a body must refuse with 400. */
export const badDocuments: readonly (string | Uint8Array)[] = [
  '{"a":', // cut off
  '{', // one bracket
  '[]', // a list
  '"x"', // a text
  '0', // a number
  'null', // null
  'true', // true
  '{}{}', // two documents
  '{"a":1,}', // a trailing comma
  '{/**/}', // a comment
  "{'a':1}", // single quotes
  '{"a":NaN}', // NaN
  '{"a":01}', // a leading zero
  ' \n\t', // white space only
  '{"a":1,"a":2}', // a name twice
  '{"a":1,"\\u0061":2}', // a name twice, escaped
  `${'{"a":'.repeat(9)}1${'}'.repeat(9)}`, // nine levels
  '['.repeat(100_000) + ']'.repeat(100_000), // 100,000 levels
  '{"a":'.repeat(100_000), // 100,000 levels that never close
  '{"a":"\\ud800"}', // a lone surrogate
  '{"\\udfff":"a"}', // a lone surrogate in a name
  Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d), // invalid UTF-8
  Uint8Array.of(0x7b, 0x22, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d), // overlong UTF-8
  Buffer.from('\uFEFF{"a":1}', 'utf16le'), // UTF-16
  new Uint8Array(16), // only NUL
  '{"__proto__":{"key_id":"x","name":"x"}}', // __proto__
  '{"unknown":1}', // an unknown field
  '{"a":1e999999}', // a huge number
  `{"a":${'9'.repeat(100_000)}}`, // a number of 100,000 digits
  `{${Array.from({ length: 100_000 }, (_, at) => `"f${at}":0`).join()}}`, // 100,000 fields
  `{"${'a'.repeat(1_000_000)}":1}`, // a name of a million characters
];

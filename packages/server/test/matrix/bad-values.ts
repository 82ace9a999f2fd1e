import type { Kind } from '@eaas/test-kit/calls';

const notText = [0, 1.5, true, [], {}, ['x'], { x: 'x' }];
const notList = [0, true, 'x', '', {}, { 0: 'x', length: 1 }];
const long = 'x'.repeat(70_000);

export const badInBody: Readonly<Record<Kind, readonly unknown[]>> = {
  text: [...notText, null, long],
  name: [...notText, null, '', 'a\nb', '\t', '\u0000', '\u007f', '\u0085', 'x'.repeat(129), '🌍'.repeat(129)],
  base64: [...notText, null, '', 'A', 'AAAAA', 'AA==AAAA', 'AAB=', '====', 'AA-_', 'AAAA\n', 'ÄÄÄÄ'],
  'key id': [...notText, null],
  'whole number': ['1', '', 1.5, true, [], [1], {}, null],
  'true or false': ['true', 'false', '', 0, 1, [], {}],
  person: [...notText, null, '', 'a\nb', '\u0000', '\u007f', '\u0085', 'x'.repeat(257), 'ä'.repeat(129)],
  claim: [...notText, null, '', 'a\nb', '\u0000', '\u007f', 'x'.repeat(257), 'ä'.repeat(129)],
  URI: [
    ...notText,
    null,
    '',
    'ftp://a.example/keys',
    'https://a.example/#keys',
    'https://ann@a.example/keys',
    `https://a.example/${'x'.repeat(1_024)}`,
  ],
  hex: [...notText, null, '', 'a'.repeat(63), 'A'.repeat(64), 'g'.repeat(64), 'a'.repeat(65)],
  context: [
    0,
    [],
    { a: 1 },
    { a: null },
    { a: { b: 'c' } },
    { '': 'x' },
    { a: 'x\u0085' },
    { 'a\n': 'x' },
    { ['n'.repeat(129)]: 'x' },
    { a: 'x'.repeat(4_096) },
  ],
  list: [...notList, [], [null], [0], [[]], [{}], ['x', 'x']],
  items: [...notList, null, []],
  object: [0, true, 'x', '', [], [{}], {}, { x: 1 }],
  date: [0, true, [], {}, '', 'x', 'now', '2026-11-20', '2099-13-01T00:00:00Z', '2001-01-01T00:00:00Z'],
  days: ['30', '', 0, -1, 1.5, 3_651, true, [], {}, 1e21],
  'page size': [],
  'any text in a query': [],
  'one of some words': [...notText, null, 'x'],
};

const notWhole = ['x', '-1', '1.5', '1e3', '0x1', ' 1', '+1', '\u0661', 'NaN', 'Infinity', 'null', '\u0000'];

export const badInQuery: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  base64: ['A', '%%%', '\u0000'],
  hex: ['', '0', 'a'.repeat(31), 'a'.repeat(33), 'A'.repeat(32), 'g'.repeat(64), `${'a'.repeat(63)}\u0000`],
  'whole number': notWhole,
  'page size': [...notWhole, '0'],
  date: ['x', 'now', '0', '2026', '20261120', '2026-11-20 10:00', '\u0000', '9'.repeat(500)],
  days: ['x', '-1', '366', '1.5', '1e1', '0x1', ' 1', '+5', '\u0661'],
  'one of some words': ['x', 'ACTIVE', 'ENCRYPT', 'encrypt ', '\u0000', 'constructor', '__proto__'],
};

export const otherTypes: readonly string[] = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/problem+json',
  'application/json; charset=latin1',
  'application/json; version=1; charset=utf-16',
  '',
];

export const badDocuments: readonly (string | Uint8Array)[] = [
  '{',
  '{}{}',
  '{"a":1,}',
  ' \n\t',
  '{"a":1,"\\u0061":2}',
  `${'{"a":'.repeat(9)}1${'}'.repeat(9)}`,
  '{"a":'.repeat(100_000),
  '{"a":"\\ud800"}',
  Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d), // invalid UTF-8
  Buffer.from('\uFEFF{"a":1}', 'utf16le'), // UTF-16
  '{"__proto__":{"key_id":"x","name":"x"}}',
  `{"a":${'9'.repeat(100_000)}}`,
  `{${Array.from({ length: 100_000 }, (_, at) => `"f${at}":0`).join()}}`,
  `{"${'a'.repeat(1_000_000)}":1}`,
];

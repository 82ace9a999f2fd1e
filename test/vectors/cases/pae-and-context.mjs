import assert from 'node:assert/strict';
import { base64, fromHex, hex, pae } from '../reference/bytes.mjs';
import { encodeContext } from '../reference/context.mjs';
import { requireUniqueNames, T } from './places.mjs';

const text = (value) => ({ text: value });
const bytes = (value) => ({ hex: value });
const integer = (value) => ({ integer: value });
const nothing = { null: true };

const partLists = {
  'no parts': [],
  'text, null, empty text, integer': [text('a'), nothing, text(''), integer(1)],
  'one empty part': [text('')],
  'one null': [nothing],
  'two nulls': [nothing, nothing],
  'ab and c': [text('ab'), text('c')],
  'a and bc': [text('a'), text('bc')],
  'text counts in UTF-8 bytes': [text('\u00e9\u{1F511}e\u0301')],
  'NUL and a byte order mark are text like any other': [text('\u0000\ufeff')],
  'raw bytes, which need not be UTF-8': [bytes('ff00fe')],
  'bytes that look like a null': [bytes('ffffffff')],
  'the text 1 and the integer 1 are the same bytes': [text('1'), integer(1)],
  'integers are decimal': [
    integer(0),
    integer(10),
    integer(4294967295),
    integer(1786406400000),
    integer(Number.MAX_SAFE_INTEGER),
  ],
  'uuids are text': [text('eaas audit chain v1'), text(T)],
  'a part of 256 bytes': [text('x'.repeat(256))],
  '256 parts': Array.from({ length: 256 }, (_, i) => integer(i)),
};

function partOf(part) {
  if ('null' in part) return null;
  return part.text ?? part.integer ?? fromHex(part.hex);
}

export function buildPae() {
  return {
    description:
      'pae, the one encoding of a list of parts that everything hashed, signed or derived here is built on.',
    format: [
      'cases: `parts` in order; each is {"text": …} (its UTF-8), {"hex": …} (raw bytes), {"integer": …} (decimal ASCII) or {"null": true}. `encoded` is hex.',
      'pae = u32(number of parts), then for each part u32(length in bytes) and the bytes, or ffffffff for null. Integers are big-endian.',
    ],
    cases: Object.entries(partLists).map(([name, parts]) => ({
      name,
      parts,
      encoded: hex(pae(...parts.map(partOf))),
    })),
  };
}

const good = {
  'no context': 'null',
  'an empty object': '{}',
  'one name': '{"table":"patients"}',
  'names are sorted': '{"b":"2","a":"1","B":"0"}',
  'a name before the longer one that begins with it': '{"ab":"2","a":"1"}',
  'integer-like names sort as text': '{"1":"a","9":"b","10":"c","01":"d"}',
  'order of UTF-8 bytes, not of UTF-16 units': '{"\u{1F511}":"last","\uff5e":"middle","z":"first"}',
  'no normalisation: precomposed and combining differ': '{"\u00e9":"1","e\u0301":"2"}',
  'an empty value': '{"a":""}',
  'names that objects inherit': '{"constructor":"a","toString":"b","hasOwnProperty":"c","prototype":"d"}',
  'a name of one space': '{" ":" "}',
  'format characters and separators are not controls': '{"\u200b\u202e":"\ufeff\u2028\u2029\u00a0\u00ad"}',
  'JSON escapes are text': '{"\\u0061\\"\\\\":"\\/\\ud83d\\udd11"}',
  'a name of 128 bytes': JSON.stringify({ ['n'.repeat(128)]: 'v' }),
  'a name of 64 characters and 128 bytes': JSON.stringify({ ['\u00e9'.repeat(64)]: 'v' }),
  '4096 encoded bytes in one value': JSON.stringify({ n: 'v'.repeat(4083) }),
  '4096 encoded bytes in two names': JSON.stringify({ a: '\u20ac'.repeat(1357), b: 'vwx' }),
};

const bad = {
  'an empty name': '{"":"v"}',
  'a name of 129 bytes': JSON.stringify({ ['n'.repeat(129)]: 'v' }),
  'a name of 65 characters and 130 bytes': JSON.stringify({ ['\u00e9'.repeat(65)]: 'v' }),
  'the name __proto__': '{"__proto__":"v"}',
  'the name __proto__ among others': '{"a":"1","__proto__":"v"}',
  'the name __proto__ with an object': '{"__proto__":{"a":"1"}}',
  '4097 encoded bytes in one value': JSON.stringify({ n: 'v'.repeat(4084) }),
  '4097 encoded bytes in two names': JSON.stringify({ a: '\u20ac'.repeat(1357), b: 'vwxy' }),
  'a lone high surrogate in a value': '{"a":"\\ud83d"}',
  'a lone low surrogate in a value': '{"a":"\\udd11"}',
  'a lone surrogate in a name': '{"a\\ud83d":"v"}',
  'surrogates in the wrong order': '{"a":"\\udd11\\ud83d"}',
  'NUL in a value': '{"a":"\\u0000"}',
  'NUL in a name': '{"a\\u0000":"v"}',
  'a tab in a value': '{"a":"x\\ty"}',
  'a newline in a name': '{"a\\n":"v"}',
  'DEL in a value': '{"a":"\\u007f"}',
  'a C1 control (U+0085) in a value': '{"a":"\\u0085"}',
  'a C1 control (U+009F) in a name': '{"\\u009f":"v"}',
  'a number as value': '{"a":1}',
  'null as value': '{"a":null}',
  'a boolean as value': '{"a":true}',
  'an array as value': '{"a":["v"]}',
  'an object as value': '{"a":{"b":"v"}}',
  'an array': '["a","v"]',
  'an empty array': '[]',
  'a string': '"a"',
  'a number': '1',
  'a boolean': 'false',
};

export function buildContext() {
  const cases = Object.entries(good).map(([name, json]) => ({
    name,
    json,
    encoded: base64(encodeContext(JSON.parse(json))),
  }));
  const refusals = Object.entries(bad).map(([name, json]) => ({ name, json }));
  for (const { name, json } of refusals) assert.throws(() => encodeContext(JSON.parse(json)), Error, name);
  for (const limit of cases.filter(({ name }) => name.startsWith('4096')))
    assert.equal(Buffer.from(limit.encoded, 'base64').length, 4096);
  requireUniqueNames(cases, refusals);
  return {
    description:
      'encode(context): the bytes by which a context is authenticated, and the contexts that are refused.',
    format: [
      '`json` is the context as JSON text (parse it), because some JSON readers lose `__proto__` or repair lone surrogates.',
      'cases: `encoded` is the base64 of pae(n1, v1, n2, v2 …), names in bytewise order of their UTF-8; the same names and values in any order give the same bytes.',
      'refusals: must be refused before anything is encoded. Names have 1 to 128 bytes and are not `__proto__`; values are strings, and may be empty; neither has control characters (Unicode category Cc) or lone surrogates; the encoding has at most 4096 bytes.',
    ],
    cases,
    refusals,
  };
}

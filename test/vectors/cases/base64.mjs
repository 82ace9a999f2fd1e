import assert from 'node:assert/strict';
import { decodeBase64 } from '../reference/base64.mjs';
import { base64, draw, fromHex, hex } from '../reference/bytes.mjs';
import { requireUniqueNames } from './places.mjs';

const accepted = {
  'no bytes': '',
  'one byte, two padding characters': 'AA==',
  'one byte of ones': '/w==',
  'two bytes, one padding character': 'AAA=',
  'two bytes of ones': '//8=',
  'three bytes': 'AAAA',
  'both characters that the url alphabet replaces': '++//',
  'the first bytes of an envelope': base64(fromHex('79a6ac01')),
  'RFC 4648: f': 'Zg==',
  'RFC 4648: fo': 'Zm8=',
  'RFC 4648: foo': 'Zm9v',
  'RFC 4648: foob': 'Zm9vYg==',
  'RFC 4648: fooba': 'Zm9vYmE=',
  'RFC 4648: foobar': 'Zm9vYmFy',
  'every value of a byte': base64(Buffer.from(Array.from({ length: 256 }, (_, i) => i))),
  '32 random bytes': base64(draw('base64', 32)),
};

const refused = {
  'a space alone': ' ',
  'a space before': ' AAAA',
  'a space behind': 'AAAA ',
  'a space inside': 'AA AA',
  'a newline behind': 'AAAA\n',
  'a newline inside': 'AAAA\nAAAA',
  'carriage return and newline': 'AAAA\r\nAAAA',
  'a tab': 'AA\tAA',
  NUL: 'AAAA\u0000',
  'the url alphabet': '--__',
  'one character of the url alphabet': 'AAA_',
  'missing padding, one byte': 'AA',
  'missing padding, two bytes': 'AAA',
  'one of two padding characters missing': 'AA=',
  'one character alone': 'A',
  'five characters': 'AAAAA',
  'three padding characters': 'A===',
  'padding alone': '====',
  'padding behind whole groups': 'AAAA====',
  'a padding character too many': 'AAA==',
  'padding inside': 'AA==AAAA',
  'padding before the end of a group': 'A=AA',
  'slack bits set, one byte': 'AB==',
  'slack bits set, two bytes': 'AAB=',
  'all slack bits set': 'AP==',
  'a character outside the alphabet': 'AA!A',
  'a letter outside ASCII': 'AAA\u00e9',
  'a fullwidth letter': '\uff21AAA',
  'a byte order mark before': '\ufeffAAAA',
  'a data URL': 'data:;base64,AAAA',
};

export function build() {
  const cases = Object.entries(accepted).map(([name, text]) => ({
    name,
    text,
    hex: hex(decodeBase64(text)),
  }));
  const refusals = Object.entries(refused).map(([name, text]) => ({ name, text }));
  for (const { name, text } of refusals) assert.throws(() => decodeBase64(text), Error, `${name}: ${text}`);
  requireUniqueNames(cases, refusals);
  return {
    description: 'Base64 as the service and its clients read it: one spelling for each byte string.',
    format: [
      'cases: `text` decodes to the bytes `hex`, and they encode to `text` again. The empty string is no bytes; where a field must not be empty, that is a rule of the field.',
      'refusals: every decoder must refuse `text`. A sure way: decode, encode again, compare.',
    ],
    cases,
    refusals,
  };
}

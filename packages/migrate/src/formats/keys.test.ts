import { InputError } from '@eaas/protocol';
import { expect, test } from 'vitest';
import {
  decoders,
  keyFromBase64,
  keyFromHash,
  keyFromHex,
  keyFromScrypt,
  keyFromSha256,
  keyFromUtf8,
  keysOf,
} from './keys.ts';
import { scrypt } from './platform.node.ts';
import { scrypt as portableScrypt } from './platform.ts';

const key = Buffer.from('7f'.repeat(32), 'hex');
const [hex, base64] = [key.toString('hex'), key.toString('base64')];

/** The message of the InputError that the call throws. */
function faultOf(call: () => unknown): string {
  try {
    return `no error: ${typeof call()}`;
  } catch (error) {
    return error instanceof InputError ? error.message : 'another error';
  }
}

const unpadded = base64.slice(0, -2);
test.each([
  ['keyFromHex', keyFromHex, [hex.slice(2), `${hex}7f`, `0x${hex.slice(2)}`, `${hex}\n`]],
  ['keyFromBase64', keyFromBase64, [hex, base64.slice(4), `${base64}=`, ` ${base64}`, `${unpadded}9=`]],
  ['keyFromUtf8', keyFromUtf8, ['x'.repeat(31), 'x'.repeat(33), 'é'.repeat(32)]],
  ['keyFromSha256', keyFromSha256, []],
  ['keyFromScrypt', (text: string) => keyFromScrypt(text, 'salt'), []],
  ['keyFromHash', (text: string) => keyFromHash(text, 'sha512', 'hex'), []],
] as const)('%s refuses other spellings and an unset variable, and quotes nothing', (name, from, others) => {
  for (const text of others) {
    const fault = faultOf(() => from(text));
    expect(fault).toMatch(/^the argument of `\w+` must be .* \(got (?:\d+ bytes|another text)\)$/);
    expect(fault).toContain(name);
    expect(fault).not.toContain(text.trim().slice(0, 8));
  }
  const unset = faultOf(() => from(undefined as never));
  expect(unset).toMatch(/ must be a non-empty text \(got undefined\): is its variable set\?$/);
  expect(unset).toContain(name);
  expect(faultOf(() => from(''))).toContain('(got an empty string)');
});

test('a cost that scrypt does not allow is an InputError', () => {
  const costs = [1000, 1, -2, 0.5, Infinity].map((N) => ({ N }));
  for (const cost of [...costs, { r: 0 }, { p: 0.5 }, { cost: 2 }]) {
    expect(() => keyFromScrypt('passphrase', 'salt', cost)).toThrow(InputError);
  }
  const bySalt = (salt: string | Uint8Array) => keyFromScrypt('passphrase', salt, { N: 2 });
  expect(bySalt(Buffer.from('salt'))).toEqual(bySalt('salt'));
});

test('Node and noble derive the same key, also at a cost that Node itself would refuse', () => {
  for (const N of [2, 32_768]) {
    const given = [key, Buffer.from('salt'), { N, r: 16, p: 2 }] as const;
    const fast = scrypt(...given);
    expect(fast).toEqual(portableScrypt(...given));
    expect(fast).not.toBeInstanceOf(Buffer);
  }
});

test('keys are copied, and a key of another length, a text and an empty list are InputErrors', () => {
  const own = Uint8Array.from(key);
  const [copy] = keysOf(own, '`key`');
  own.fill(0);
  expect(copy).toEqual(Uint8Array.from(key));
  for (const length of [0, 16, 31, 33, 64]) {
    expect(faultOf(() => keysOf([key, new Uint8Array(length)], '`key`'))).toContain(`of ${length} bytes)`);
  }
  expect(faultOf(() => keysOf(hex as never, '`key`'))).toMatch(/^`key` must be 32 bytes.*\(got a string\)$/);
  expect(faultOf(() => keysOf([], '`key`'))).toBe('`key` must not be an empty list');
});

test.each([
  ['hex', ['', '00ff', 'ab'.repeat(1_000_000)], ['0', 'AB', '0x', ' 00', '00\n', '\uff10\uff10']],
  ['base64', ['', 'AA==', '+/+/'], ['AA', 'AA=', 'AB==', '-_-_', 'AA==\n', '====', 'AAAA====']],
  ['base64url', ['', 'AA', 'AA==', 'AAA=', '-_-_'], ['+/+/', 'AA=', 'AB', 'A', 'A===', 'AAAA=', '\u0410A']],
] as const)('%s is decoded only in its canonical spelling', (encoding, texts, others) => {
  for (const text of texts) {
    const again = Buffer.from(decoders[encoding](text) ?? [1]).toString(encoding);
    expect(again).toBe(encoding === 'base64url' ? text.replaceAll('=', '') : text);
  }
  for (const text of others) expect(decoders[encoding](text)).toBeUndefined();
});

import type { Context } from '@eaas/protocol';
import * as fc from 'fast-check';

/**
 * Any Unicode character. The option `unit: 'binary'` of fast-check has the same characters, but needs almost a second
 * to list them.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat(0x10_f7ff).map(
  (nth) => String.fromCodePoint(nth < 0xd800 ? nth : nth + 0x800),
  (character) => {
    if (typeof character !== 'string' || !/^[^\p{Cs}]$/su.test(character)) throw new Error('not a character');
    const code = character.codePointAt(0) ?? 0;
    return code < 0xd800 ? code : code - 0x800;
  },
);

function printable(maxLength: number): fc.Arbitrary<string> {
  return fc.string({ unit: anyCharacter, maxLength }).map((text) => text.replaceAll(/\p{Cc}/gu, ''));
}

export const anyContext: fc.Arbitrary<Context | undefined> = fc.option(
  fc.dictionary(
    printable(30).filter((name) => name !== '' && name !== '__proto__'),
    fc.oneof(
      printable(40),
      fc.nat(400).map((length) => 'v'.repeat(length)),
    ),
    { maxKeys: 7 },
  ),
  { nil: undefined },
);

const anyBytes: fc.Arbitrary<Uint8Array> = fc.uint8Array({ maxLength: 300 });

export const anyView: fc.Arbitrary<Uint8Array> = fc
  .tuple(anyBytes, fc.nat(9), fc.nat(9), fc.boolean())
  .map(([content, before, after, asBuffer]) => {
    const whole = new Uint8Array(before + content.length + after).fill(0xee);
    whole.set(content, before);
    return asBuffer
      ? Buffer.from(whole.buffer, before, content.length)
      : whole.subarray(before, before + content.length);
  });

// Every code point through every step that a fingerprint depends on. What comes out is the same in every version of Unicode from
// 15.0 on: a Node with 15.0 gives these hashes with the functions of JavaScript alone.
import { field, type Normalization, type part } from '@eaas/sdk/fields';

/** The beginning of the SHA-256 of what each step makes of all code points. Fingerprints in databases depend on them. */
export const stepHashes = {
  trim: 'ab8ce095729c7067',
  spaces: 'd100a3fbd6897c0f',
  lowercase: 'fda54895d572d47b',
  accents: '8bbb52ded2899aec',
  digits: '23cf0379a9c7a344',
  nfc: '5663c92e3906d2b5',
  nfkc: 'aa3424f71c70f9d5',
  words: 'ae75db50802d08e8',
};

const { type } = field.text();
const blockLength = 64;

/** Computes the same with a build of the package. */
export async function stepHashesOf({ wholeText, words }: Pick<typeof part, 'wholeText' | 'words'>) {
  const codes = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code));
  // With a bar between them, which is no white space, no part of a word, and composes with nothing.
  const blocks = Array.from({ length: codes.length / blockLength }, (_, at) =>
    codes.slice(at * blockLength, (at + 1) * blockLength).join('|'),
  );
  const hashes = Object.keys(stepHashes).map(async (step) => {
    const index =
      step === 'words' ? words({ normalize: [] }) : wholeText({ normalize: [step as Normalization] });
    const of = (value: string) => index.partsOf({ name: 'text', type, value }).join(' ');
    const made = (step === 'trim' ? codes : blocks).map(of).join('\n');
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(made));
    const hex = Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
    return [step, hex.slice(0, 16)];
  });
  return Object.fromEntries(await Promise.all(hashes)) as typeof stepHashes;
}

// Cases of Project Wycheproof (https://github.com/C2SP/wycheproof, Apache-2.0), for attacks that have worked on others.
// test/vectors/wycheproof/extract.json names the commit, and has some cases of every flag of the files below.
import { readFileSync } from 'node:fs';

interface Fields {
  aes_gcm_test: 'key' | 'iv' | 'aad' | 'msg' | 'ct' | 'tag';
  hkdf_sha256_test: 'ikm' | 'salt' | 'info' | 'okm';
  hmac_sha256_test: 'key' | 'msg' | 'tag';
  x25519_test: 'public' | 'private' | 'shared';
  mlkem_768_test: 'seed' | 'c' | 'K';
  mlkem_768_encaps_test: 'm' | 'ek' | 'c' | 'K';
  mlkem_768_keygen_seed_test: 'seed' | 'ek' | 'dk';
}

type WycheproofName = keyof Fields;

type WycheproofCase<Name extends WycheproofName> = Readonly<Record<Fields[Name], Buffer<ArrayBuffer>>> & {
  readonly tcId: number;
  readonly flags: readonly string[];
  readonly result: 'valid' | 'invalid' | 'acceptable';
  /** The length of the output of HKDF. */
  readonly size: number;
};

interface Extract {
  readonly files: Readonly<
    Record<WycheproofName, { readonly cases: readonly Readonly<Record<string, unknown>>[] }>
  >;
}

const file = new URL('../vectors/wycheproof/extract.json', import.meta.url);
const { files } = JSON.parse(readFileSync(file, 'utf8')) as Extract;

/** Returns the cases of a file that are in the extract, with bytes instead of hexadecimal characters. */
export function wycheproof<Name extends WycheproofName>(name: Name) {
  const { cases } = files[name];
  const bytesIn = (given: object) =>
    Object.fromEntries(
      Object.entries(given).map(([field, value]: [string, unknown]) => [
        field,
        typeof value === 'string' && field !== 'result' ? Buffer.from(value, 'hex') : value,
      ]),
    ) as unknown as WycheproofCase<Name>;
  return { cases: cases.map(bytesIn) };
}

// The vectors of the second half, in every runtime and through each engine.
import type { Engine } from '@eaas/protocol';
import { sealStream } from '@eaas/protocol/stream';
import type { ClientOptions } from '@eaas/sdk';
import { decryptStream } from '@eaas/sdk/stream';
import { sha256Hex } from '@eaas/test-kit/bytes';
import type { Cases, Scene } from '@eaas/test-kit/runtimes/case';
import type { HalfVector } from '@eaas/test-kit/vectors';
import { drawing, engineOf } from './engine-cases.ts';
import { fromHex, refused, same } from './expect.ts';
import { through } from './streams.ts';

export const halfCases = (name: string): Cases => ({
  [`${name}: opens every vector of a half with the half or its key, and with no other`]: async (scene) => {
    const { vectors } = scene.vectors.half;
    for (const vector of vectors.filter(({ kind }) => / v[12]$/.test(kind))) {
      const near = vector.others_that_must_not_fit?.filter((hex) => !/^0+$/.test(hex)) ?? [];
      const known = vectors.flatMap(({ half_hex }) => half_hex ?? []);
      const others = [...known, ...near].filter((hex) => hex !== vector.half_hex).map(fromHex);
      const own = vector.half_hex === null ? null : fromHex(vector.half_hex);
      const expected = vector.plaintext_hex ?? vector.plaintext_sha256;
      for (const half of [own, [...others.slice(0, 2), own], own ? await keyOf(own) : undefined])
        same(await opened(scene, name, vector, half), expected, vector.name);
      for (const half of [...others, ...(own ? [undefined, null] : [])])
        await refused(() => opened(scene, name, vector, half), 'decryption');
    }
  },
});

const keyOf = (half: Uint8Array<ArrayBuffer>): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', half, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);

/** Opens a vector, and returns its plaintext as the vector has it: in hex, or as a hash. */
async function opened(
  { engines, connect }: Scene,
  name: string,
  vector: HalfVector,
  half: ClientOptions['half'],
): Promise<string> {
  const engine = engineOf(engines, name);
  const { key_id, context } = vector;
  const dek = btoa(String.fromCharCode(...fromHex(vector.dek_hex)));
  const fetch = async (): Promise<Response> => Response.json({ dek, key_id, key_version: 1 });
  const options = { fetch, engines: { values: engine, streams: engine }, keyId: key_id };
  const client = connect(half === undefined ? options : { ...options, half });
  if (vector.kind === 'stream v2')
    return sha256Hex(
      (await through(decryptStream(client, { context }), await streamOf(vector, engine))).slice(),
    );
  const plaintext = await client.decrypt(vector.ciphertext, { context });
  return Array.from(plaintext, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The stream of a vector, whose plaintext is the letter a, and whose wrapped key nothing checks. */
async function streamOf(vector: HalfVector, engine: Engine): Promise<Uint8Array> {
  const content = new Uint8Array(vector.plaintext_length).fill(97);
  const wrappedKey = fromHex(`010100000001${'00'.repeat(72)}`);
  const wrap = () => ({ keyId: vector.key_id, keyVersion: 1, wrappedKey });
  const seal = () => through(sealStream(wrap, { engine, context: vector.context }), content);
  const sealed = await drawing([vector.dek_mixed_hex, vector.salt_hex].map(fromHex), seal);
  const [commitment, chunks] = [-32 - vector.chunks_length, -vector.chunks_length];
  same(sealed.slice(commitment, chunks), fromHex(vector.c_hex), `the commitment of ${vector.name}`);
  same(await sha256Hex(sealed.slice(chunks)), vector.chunks_sha256, `the chunks of ${vector.name}`);
  return sealed;
}

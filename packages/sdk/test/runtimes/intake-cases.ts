import { open } from '@eaas/protocol';
import { parsePublicKey, wrapForIntake } from '@eaas/protocol/intake';
import {
  formatPublicKey,
  nobleIntakeCrypto,
  nobleIntakeKey,
  openForIntake,
} from '@eaas/protocol/internal-service';
import { createIntake } from '@eaas/sdk/intake';
import { fromBase64, sha256Hex } from '@eaas/test-kit/bytes';
import type { Cases, Scene } from '@eaas/test-kit/runtimes/case';
import { fromHex, refused, same, valueOf } from './expect.ts';
import { replacing } from './replacing.ts';

const context = { form: 'contact', submission: '17' };

export const intakeCases: Cases = {
  'values encrypted with a public key decrypt, and encrypting makes no request': async (scene) => {
    const { keyId, publicKey } = scene.intake;
    const writer = createIntake({ publicKey });
    const bundles = await replacing(globalThis, 'fetch', unavailable, async () => {
      await writer.prime();
      const many = await writer.encryptMany(['Ada', 'Grace'], { context });
      return [await writer.encrypt('Joan', { context }), ...many.map(valueOf)];
    });
    const client = scene.connect();
    const opened = await client.decryptMany(bundles, { keyId, context, as: 'text' });
    same(opened.map(valueOf), ['Joan', 'Ada', 'Grace'], 'the values');
    await refused(() => client.decrypt(bundles[0] ?? '', { keyId }), 'decryption');
    await refused(() => client.decrypt(bundles[0] ?? '', { context }), 'decryption');
  },
  'every vector of intake is reproduced and opens': reproduce,
};

async function reproduce({ vectors: { intake } }: Scene): Promise<void> {
  const { tenant_id: tenantId, key_id: keyId } = intake;
  for (const vector of intake.cases) {
    const { name, context, wrap_context } = vector;
    const place = { keyId, keyVersion: vector.key_version };
    const key = nobleIntakeKey(fromHex(vector.version_bytes_hex), tenantId, place);
    const text = formatPublicKey({ ...place, bytes: key.publicKey });
    same(await sha256Hex(new TextEncoder().encode(text)), vector.public_key_token_sha256_hex, name);
    const publicKey = parsePublicKey(text);
    const seed = fromHex(vector.encapsulation_seed_hex);
    const { wrappedKey } = await wrapForIntake(publicKey, fromHex(vector.dek_hex), wrap_context, seed);
    same(wrappedKey, fromBase64(vector.wrapped_key), `the wrapped key of ${name}`);
    const sharedSecret = key.decapsulate(wrappedKey);
    const dek =
      sharedSecret && openForIntake(nobleIntakeCrypto, place, wrappedKey, sharedSecret, wrap_context);
    same(dek, fromHex(vector.dek_hex), `the DEK of ${name}`);
    if (!dek || vector.ciphertext === undefined) continue;
    const plaintext = await open(fromBase64(vector.ciphertext), () => dek, { keyId, context });
    same(plaintext, fromHex(vector.plaintext_hex), `the plaintext of ${name}`);
  }
}

const unavailable = (): Promise<never> => Promise.reject(new TypeError('there is no network'));

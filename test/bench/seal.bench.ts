import { gcm } from '@noble/ciphers/aes.js';
import { deriveDataKey, nobleEngine, openUnder, parseEnvelope, sealUnder } from '@eaas/protocol';
import { type Benchmark, pick } from './compare.ts';

const fields = Array.from({ length: 256 }, () => crypto.getRandomValues(new Uint8Array(64)));
const dek = crypto.getRandomValues(new Uint8Array(32));
const wrappedKey = crypto.getRandomValues(new Uint8Array(78));
const dataKey = deriveDataKey(nobleEngine, dek, {
  keyId: '00000000-0000-4000-8000-000000000002',
  keyVersion: 1,
  wrappedKey,
});

// Reusing an iv is safe only in a benchmark.
const iv = new Uint8Array(12).fill(7);
const aad = new Uint8Array(24);
const bare = () => gcm(dek, iv, aad);

const field = pick(fields);
const envelope = pick(fields.map((plaintext) => sealUnder(dataKey, plaintext)));
const body = pick(fields.map((plaintext) => bare().encrypt(plaintext)));

export const benchmark: Benchmark = {
  name: 'seal',
  about: 'encryption of fields of 64 bytes in the noble engine, compared with AES-256-GCM of noble alone',
  comparisons: async () => [
    {
      ours: { name: 'sealUnder, noble', run: (call) => sealUnder(dataKey, field(call)) },
      reference: { name: 'noble gcm encrypt, bare', run: (call) => bare().encrypt(field(call)) },
      target: 0.8,
    },
    {
      ours: { name: 'openUnder, noble', run: (call) => openUnder(dataKey, parseEnvelope(envelope(call))) },
      reference: { name: 'noble gcm decrypt, bare', run: (call) => bare().decrypt(body(call)) },
      target: 0.8,
    },
  ],
};

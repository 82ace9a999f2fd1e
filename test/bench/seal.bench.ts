import { createCipheriv, createDecipheriv } from 'node:crypto';
import { gcm } from '@noble/ciphers/aes.js';
import {
  type Context,
  deriveDataKey,
  encodeContext,
  nobleEngine,
  openUnder,
  parseEnvelope,
  sealUnder,
} from '@eaas/protocol';
import { nodeEngine } from '@eaas/protocol/node';
import type { Benchmark, Comparison, Contender } from './compare.ts';

const fieldLength = 64;
const fields = Array.from({ length: 256 }, () => crypto.getRandomValues(new Uint8Array(fieldLength)));
const dek = crypto.getRandomValues(new Uint8Array(32));
const wrapped = {
  keyId: '00000000-0000-4000-8000-000000000002',
  keyVersion: 1,
  wrappedKey: crypto.getRandomValues(new Uint8Array(78)),
};
const iv = new Uint8Array(12).fill(7);
const context = { table: 'patients', column: 'diagnosis' };

type Pair = { readonly seal: Contender; readonly open: Contender };

// Ours draws an iv, encodes the context, and builds or takes apart the whole envelope.
function ours(engine: typeof nobleEngine | typeof nodeEngine, given?: Context): Pair {
  const dataKey = deriveDataKey(engine, dek, wrapped);
  const field = pick(fields);
  const envelope = pick(fields.map((plaintext) => sealUnder(dataKey, plaintext, given)));
  const suffix = `${engine.name}${given ? ', context' : ''}`;
  return {
    seal: { name: `sealUnder, ${suffix}`, run: (call) => sealUnder(dataKey, field(call), given) },
    open: {
      name: `openUnder, ${suffix}`,
      run: (call) => openUnder(dataKey, parseEnvelope(envelope(call)), given),
    },
  };
}

// The bare loops get one fixed iv, which no honest use could, and their additional data ready made.
function bareNoble(given?: Context): Pair {
  const aad = additionalData(given);
  const field = pick(fields);
  const body = pick(fields.map((plaintext) => gcm(dek, iv, aad).encrypt(plaintext)));
  return {
    seal: { name: 'noble gcm encrypt, bare', run: (call) => gcm(dek, iv, aad).encrypt(field(call)) },
    open: { name: 'noble gcm decrypt, bare', run: (call) => gcm(dek, iv, aad).decrypt(body(call)) },
  };
}

function bareNode(given?: Context): Pair {
  const aad = additionalData(given);
  const encrypt = (field: Uint8Array): Buffer => {
    const cipher = createCipheriv('aes-256-gcm', dek, iv).setAAD(aad);
    return Buffer.concat([cipher.update(field), cipher.final(), cipher.getAuthTag()]);
  };
  const decrypt = (body: Uint8Array): Buffer => {
    const decipher = createDecipheriv('aes-256-gcm', dek, iv, { authTagLength: 16 }).setAAD(aad);
    decipher.setAuthTag(body.subarray(fieldLength));
    return Buffer.concat([decipher.update(body.subarray(0, fieldLength)), decipher.final()]);
  };
  const field = pick(fields);
  const body = pick(fields.map(encrypt));
  return {
    seal: { name: 'createCipheriv, bare', run: (call) => encrypt(field(call)) },
    open: { name: 'createDecipheriv, bare', run: (call) => decrypt(body(call)) },
  };
}

function additionalData(given?: Context): Uint8Array {
  return Buffer.concat([new Uint8Array(20), encodeContext(given)]);
}

function pick(list: readonly Uint8Array[]): (call: number) => Uint8Array {
  return (call) => list[call % list.length] as Uint8Array;
}

export const benchmark: Benchmark = {
  name: 'seal',
  about: `a field of ${fieldLength} bytes under a data key that is already derived, against bare AES-256-GCM`,
  comparisons: async (): Promise<readonly Comparison[]> => {
    const [noble, bare] = [ours(nobleEngine), bareNoble()];
    const [inContext, bareInContext] = [ours(nobleEngine, context), bareNoble(context)];
    const [node, bareInNode] = [ours(nodeEngine), bareNode()];
    return [
      { ours: noble.seal, reference: bare.seal, target: 0.8 },
      { ours: noble.open, reference: bare.open, target: 0.8 },
      { ours: inContext.seal, reference: bareInContext.seal },
      { ours: inContext.open, reference: bareInContext.open },
      { ours: node.seal, reference: bareInNode.seal },
      { ours: node.open, reference: bareInNode.open },
    ];
  },
};

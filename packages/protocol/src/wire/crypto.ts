import * as z from 'zod/mini';
import { limits } from './limits.ts';
import { base64, context, count, dek, element, hex, keyId, plaintext, sized, uuid } from './primitives.ts';

const usedKey = { key_id: uuid, key_version: count };

const bundle = z.object({ ciphertext: z.string(), wrapped_key: z.string(), iv: z.string(), ...usedKey });

export const encrypt = {
  body: z.strictObject({ plaintext, key_id: keyId, context: z.optional(context) }),
  output: bundle,
};

export const decrypt = {
  body: z.strictObject({
    ciphertext: base64,
    key_id: keyId,
    key_version: z.int(),
    wrapped_key: z.optional(base64),
    iv: z.optional(base64),
    context: z.optional(context),
  }),
  output: z.object({ plaintext: z.string() }),
};

export const hash = {
  body: z.strictObject({ value: plaintext, key_id: keyId }),
  output: z.object({ hash: hex, key_id: uuid }),
};

export const blindHash = {
  body: z.strictObject({ key_id: keyId, elements: z.array(element).check(sized(limits.elements)) }),
  output: z.object({
    key_id: uuid,
    evaluated: z.array(element),
    proof: z.string().register(z.globalRegistry, { contentEncoding: 'base64' }),
    public_key: element,
  }),
};

export const wrap = {
  body: z.strictObject({ dek, context: z.optional(context) }),
  output: z.object({ wrapped_key: z.string(), ...usedKey }),
};

export const unwrap = {
  body: z.strictObject({
    wrapped_key: base64,
    key_version: z.optional(z.int()),
    context: z.optional(context),
  }),
  output: z.object({ dek: z.string(), ...usedKey }),
};

export const rewrap = {
  body: z.strictObject({ wrapped_key: base64, context: z.optional(context) }),
  output: z.object({ wrapped_key: z.string(), ...usedKey, rewrapped: z.boolean() }),
};

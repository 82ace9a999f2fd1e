// The calls that send a plaintext to the service: encrypt, decrypt and hash. An envelope-only tenant can only hash.
import * as z from 'zod/mini';
import type { Endpoints, Group } from './endpoint.ts';
import { base64, context, fingerprint, keyId, plaintext, usedKey, uuid, who } from './primitives.ts';
import { samples } from './samples.ts';

export const serverMode = {
  'POST /v1/encrypt': {
    forUsers: true,
    permission: 'encrypt',
    summary: 'Encrypt a text under a key',
    body: z.strictObject({ plaintext, key_id: keyId, context: z.optional(context), ...who }),
    output: z.object({ ciphertext: z.string(), wrapped_key: z.string(), iv: z.string(), ...usedKey }),
    serverMode: true,
  },
  'POST /v1/decrypt': {
    forUsers: true,
    permission: 'decrypt',
    summary: 'Decrypt a ciphertext',
    body: z.strictObject({
      ciphertext: base64,
      key_id: keyId,
      key_version: z.int(),
      wrapped_key: z.optional(base64),
      iv: z.optional(base64),
      context: z.optional(context),
      ...who,
    }),
    output: z.object({ plaintext: z.string() }),
    serverMode: true,
    secret: true,
  },
  'POST /v1/hash': {
    permission: 'encrypt',
    summary: 'Fingerprint a value, to search for it',
    readOnly: true,
    body: z.strictObject({ value: plaintext, key_id: keyId }),
    output: z.object({ hash: fingerprint, key_id: uuid }),
  },
} satisfies Endpoints;

/** What the reference says about these calls. */
export const aboutServerMode = (): Group<typeof serverMode> => {
  const ciphertext =
    'eaasAX0vbB6UsEpYscMOWp2PRCcAAAADAE4BAQAAAAO8jS9nW2cMooGiHCrQr8WeDMj34HNH81RBSvc2uXtY6odKKr3VHoZc+RWE0nfBVC' +
    '/iwkEWtv7vBn/GE545h61fwQH2xjrrLKcFeMzg+8fZBoIQMvJsYcqjJ96NU4KS+7iKzV41IRnRHPfOE5NAJ7joX8DF0a1iD1U/2QLK99WT' +
    'nWpF3L4qs7K4Dzdzo65Fbrbz';
  const path = { key_id: samples.keyId };
  const used = { ...path, key_version: 3 };
  const text = 'J45.0 asthma';
  const names = { table: 'patients', column: 'diagnosis' };
  return {
    title: 'Encrypt and hash',
    about: 'Server mode: the plaintext passes through the service.',
    fields: {
      ciphertext: 'The whole envelope. Store it.',
      iv: 'The initialisation vector.',
      plaintext: 'The text: at most 65,536 bytes of UTF-8.',
    },
    calls: {
      'POST /v1/encrypt': {
        id: 'encrypt',
        about:
          'Encrypts a text under the newest version of a key, with a new data key each time. Store ' +
          '`ciphertext`, `key_id` and `key_version`: decryption needs nothing else. `ciphertext` also ' +
          'contains `wrapped_key` and `iv`. Envelope-only tenants get 403 and must encrypt locally. Each ' +
          'successful call counts towards the monthly quota.',
        problems: ['key_state', 'subject_erased', 'quota_exceeded'],
        input: { plaintext: text, ...path, context: names },
        output: { ciphertext, wrapped_key: samples.wrappedKey, iv: 'BXjM4PvH2QaCEDLy', ...used },
      },
      'POST /v1/decrypt': {
        id: 'decrypt',
        about:
          'Decrypts a ciphertext of `POST /v1/encrypt` or of the SDK. `wrapped_key` and `iv`, if sent, ' +
          'replace those inside `ciphertext`. Responds with 422 if the ciphertext was altered, or was ' +
          'encrypted under another key, version or `context`. No quota applies.',
        problems: ['key_state', 'decryption_failed', 'subject_erased'],
        input: { ciphertext, ...used, context: names },
        output: { plaintext: text },
      },
      'POST /v1/hash': {
        id: 'hash',
        about:
          'Returns the same fingerprint for the same value and key, also after a rotation. Store it ' +
          'beside the ciphertext and search by it. Send only the field to search for: this is the only ' +
          'call that takes plaintext from an envelope-only tenant. Do not hash values that can be ' +
          'guessed, such as dates of birth or postal codes: anyone who gets the fingerprints and may call ' +
          'this can try all values. This call is not in the audit log.',
        problems: ['key_state'],
        input: { value: 'alice@example.com', ...path },
        output: { hash: '53a836ab9d72005d6b8522b397fc5eae41baea46fc042a16298d2858c1eb757f', ...path },
      },
    },
  };
};

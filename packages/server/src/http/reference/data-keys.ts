import type { Calls } from './call.ts';
import { dek, fingerprint, keyId, olderWrappedKey, rsaModulus, wrappedKey } from './samples.ts';

const path = { key_id: keyId };
const usedKey = { key_id: keyId, key_version: 3 };
// As long as RSA-OAEP with a key of 3,072 bits makes it.
const encrypted = `${'A'.repeat(510)}==`;

export const dataKeys = {
  'POST /v1/keys/:key_id/wrap': {
    id: 'wrapKey',
    about:
      'Wraps a data key of 32 bytes under the newest version. Encrypt locally with the data key and store `wrapped_key` beside the data: the plaintext never reaches the service.',
    problems: ['not_found', 'key_state', 'audit_unwritten'],
    example: { input: { ...path, dek }, output: { wrapped_key: wrappedKey, ...usedKey } },
  },
  'POST /v1/keys/:key_id/unwrap': {
    id: 'unwrapKey',
    about:
      'Gives the data key back, once the audit entry of it has been written. A `wrapped_key` that this key did not make, that was altered, or whose `context` differs, is 403. A disabled key still unwraps.',
    problems: ['not_found', 'key_state', 'wrapped_key_unauthentic', 'audit_unwritten'],
    example: { input: { ...path, wrapped_key: wrappedKey }, output: { dek, ...usedKey } },
  },
  'POST /v1/keys/:key_id/rewrap': {
    id: 'rewrapKey',
    about:
      'Wraps a data key anew under the newest version, after a rotation; the data key does not leave the service and the data stays as it is. `rewrapped` is false, and the string the same, when it is already of the newest version.',
    problems: ['not_found', 'key_state', 'wrapped_key_unauthentic', 'audit_unwritten'],
    example: {
      input: { ...path, wrapped_key: olderWrappedKey },
      output: { wrapped_key: wrappedKey, ...usedKey, rewrapped: true },
    },
  },
  'POST /v1/keys/:key_id/export': {
    id: 'exportKey',
    about:
      'Exports every version of an exportable key, each encrypted to an RSA public key (RSA-OAEP with SHA-256 and MGF1-SHA-256, no label), for leaving the service or escrow.',
    problems: ['not_found', 'key_state', 'audit_unwritten'],
    example: {
      input: { ...path, public_key: { kty: 'RSA', n: rsaModulus, e: 'AQAB' } },
      output: { key_id: keyId, versions: [{ key_version: 1, encrypted }], hash_key: encrypted },
    },
  },
} satisfies Partial<Calls>;

const missing = {
  type: 'about:blank',
  title: 'Not Found',
  status: 404,
  detail: 'Key not found: give the key_id that POST /v1/keys returned, never the name.',
  code: 'not_found',
} as const;
const each =
  'From 1 to 1,000 items, each the body of the single call with its `key_id`, and a `reference` of yours that comes back with its result. The results stand in the same order; an item that fails has an `error` and fails alone.';

export const batches = {
  'POST /v1/batch/wrap': {
    id: 'wrapKeys',
    about: each,
    problems: ['audit_unwritten'],
    example: {
      input: {
        items: [
          { ...path, dek, reference: 'row 1' },
          { key_id: 'patients', dek, reference: 'row 2' },
        ],
      },
      output: {
        results: [
          { wrapped_key: wrappedKey, ...usedKey, reference: 'row 1' },
          { error: missing, reference: 'row 2' },
        ],
      },
    },
  },
  'POST /v1/batch/unwrap': {
    id: 'unwrapKeys',
    about: each,
    problems: ['audit_unwritten'],
    example: {
      input: { items: [{ ...path, wrapped_key: wrappedKey }] },
      output: { results: [{ dek, ...usedKey }] },
    },
  },
  'POST /v1/batch/rewrap': {
    id: 'rewrapKeys',
    about: each,
    problems: ['audit_unwritten'],
    example: {
      input: { items: [{ ...path, wrapped_key: olderWrappedKey }] },
      output: { results: [{ wrapped_key: wrappedKey, ...usedKey, rewrapped: true }] },
    },
  },
  'POST /v1/batch/hash': {
    id: 'hashValues',
    about: each,
    problems: [],
    example: {
      input: { items: [{ ...path, value: 'alice@example.com' }] },
      output: { results: [{ hash: fingerprint, key_id: keyId }] },
    },
  },
} satisfies Partial<Calls>;

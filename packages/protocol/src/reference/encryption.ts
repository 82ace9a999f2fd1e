import { keyNotFound } from '../service/index.ts';
import type { ProblemCode } from '../wire/index.ts';
import {
  type Calls,
  ciphertext,
  dek,
  fingerprint,
  iv,
  keyId,
  olderWrappedKey,
  rsaModulus,
  tenantId,
  wrappedKey,
} from './samples.ts';

const path = { key_id: keyId };
const usedKey = { key_id: keyId, key_version: 3 };
const context = { table: 'patients', column: 'diagnosis' };

export const serverMode = {
  'POST /v1/encrypt': {
    id: 'encrypt',
    about:
      'Encrypts a text under the newest version of a key, with a new data key each time. Store `ciphertext`, `key_id` and `key_version`: decryption needs nothing else. `ciphertext` also contains `wrapped_key` and `iv`. Envelope-only tenants get 403 and must encrypt locally. Each successful call counts towards the monthly quota.',
    problems: ['envelope_only', 'not_found', 'key_state', 'quota_exceeded', 'audit_unwritten'],
    input: { plaintext: 'J45.0 asthma', key_id: keyId, context },
    output: { ciphertext, wrapped_key: wrappedKey, iv, ...usedKey },
  },
  'POST /v1/decrypt': {
    id: 'decrypt',
    about:
      'Decrypts a ciphertext of `POST /v1/encrypt` or of the SDK. `wrapped_key` and `iv`, if sent, replace those inside `ciphertext`. Responds with 422 if the ciphertext was altered, or was encrypted under another key, version or `context`. No quota applies.',
    problems: ['envelope_only', 'not_found', 'key_state', 'decryption_failed', 'audit_unwritten'],
    input: { ciphertext, ...usedKey, context },
    output: { plaintext: 'J45.0 asthma' },
  },
  'POST /v1/hash': {
    id: 'hash',
    about:
      'Returns the same fingerprint for the same value and key, also after a rotation. Store it beside the ciphertext and search by it. Send only the field to search for: this is the only call that takes plaintext from an envelope-only tenant. Do not hash values that can be guessed, such as dates of birth or postal codes: anyone who gets the fingerprints and may call this can try all values. This call is not in the audit log.',
    problems: ['not_found', 'key_state'],
    input: { value: 'alice@example.com', key_id: keyId },
    output: { hash: fingerprint, key_id: keyId },
  },
} satisfies Partial<Calls>;

const encrypted = `${'A'.repeat(510)}==`;

export const dataKeys = {
  'POST /v1/keys/:key_id/wrap': {
    id: 'wrapKey',
    about:
      'Wraps a data key of 32 bytes under the newest version. Encrypt locally with the data key, and store `wrapped_key` beside the data. The plaintext never reaches the service.',
    problems: ['not_found', 'key_state', 'audit_unwritten'],
    input: { ...path, dek },
    output: { wrapped_key: wrappedKey, ...usedKey },
  },
  'POST /v1/keys/:key_id/unwrap': {
    id: 'unwrapKey',
    about:
      'Returns the data key after the audit entry was written. Responds with 403 if the `wrapped_key` is of another key or was altered, or if the `context` differs. A disabled key still unwraps. An intake key also unwraps data keys that writers wrapped with its public key.',
    problems: ['not_found', 'key_state', 'wrapped_key_unauthentic', 'audit_unwritten'],
    input: { ...path, wrapped_key: wrappedKey },
    output: { dek, ...usedKey },
  },
  'POST /v1/keys/:key_id/rewrap': {
    id: 'rewrapKey',
    about:
      'Wraps a data key under the newest version after a rotation. The data key does not leave the service, and the data does not change. If the data key is already wrapped under the newest version, `rewrapped` is false and `wrapped_key` is unchanged. A data key that was wrapped with the public key of an intake key is always wrapped again.',
    problems: ['not_found', 'key_state', 'wrapped_key_unauthentic', 'audit_unwritten'],
    input: { ...path, wrapped_key: olderWrappedKey },
    output: { wrapped_key: wrappedKey, ...usedKey, rewrapped: true },
  },
  'POST /v1/keys/:key_id/export': {
    id: 'exportKey',
    about:
      'Exports the versions of an exportable key, each encrypted to an RSA public key (RSA-OAEP with SHA-256 and MGF1-SHA-256, no label), to leave the service or for escrow. A call returns at most 1,000 versions, oldest first. While `next_version` is a number, call again with `from_version` set to it. Each call writes one audit entry. With the private RSA key, the response decrypts without the service.',
    problems: ['not_found', 'key_state', 'audit_unwritten'],
    input: { ...path, public_key: { kty: 'RSA', n: rsaModulus, e: 'AQAB' } },
    output: {
      tenant_id: tenantId,
      key_id: keyId,
      versions: [{ key_version: 1, encrypted }],
      next_version: null,
      hash_key: encrypted,
    },
  },
} satisfies Partial<Calls>;

const each =
  'Takes 1 to 1,000 items. Each is the body of the single call, with `key_id` and an optional `reference`, which the result repeats. The results have the same order. An item that fails has an `error`; the others succeed.';

export const batches = {
  'POST /v1/batch/wrap': {
    id: 'wrapKeys',
    about: each,
    problems: ['audit_unwritten'],
    input: {
      items: [
        { ...path, dek, reference: 'row 1' },
        { key_id: 'patients', dek, reference: 'row 2' },
      ],
    },
    output: {
      results: [
        { wrapped_key: wrappedKey, ...usedKey, reference: 'row 1' },
        { error: keyNotFound().problem, reference: 'row 2' },
      ],
    },
  },
  'POST /v1/batch/unwrap': batchOf('unwrapKeys', dataKeys['POST /v1/keys/:key_id/unwrap'], [
    'audit_unwritten',
  ]),
  'POST /v1/batch/rewrap': batchOf('rewrapKeys', dataKeys['POST /v1/keys/:key_id/rewrap'], [
    'audit_unwritten',
  ]),
  'POST /v1/batch/hash': batchOf('hashValues', serverMode['POST /v1/hash'], []),
} satisfies Partial<Calls>;

function batchOf<I, O>(id: string, { input, output }: { input: I; output: O }, problems: ProblemCode[]) {
  return { id, about: each, problems, input: { items: [input] }, output: { results: [output] } };
}

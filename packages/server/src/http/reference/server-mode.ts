import type { Calls } from './call.ts';
import { ciphertext, fingerprint, iv, keyId, wrappedKey } from './samples.ts';

const usedKey = { key_id: keyId, key_version: 3 };
const context = { table: 'patients', column: 'diagnosis' };

export const serverMode = {
  'POST /v1/encrypt': {
    id: 'encrypt',
    about:
      'Encrypts a text under the newest version of a key, with a fresh data key each time. Store `ciphertext`, `key_id` and `key_version`: they are enough to decrypt; `wrapped_key` and `iv` are copies of what `ciphertext` carries. Refused on an envelope-only tenant: encrypt locally there. Counts towards the monthly quota.',
    problems: ['envelope_only', 'not_found', 'key_state', 'quota_exceeded', 'audit_unwritten'],
    example: {
      input: { plaintext: 'J45.0 asthma', key_id: keyId, context },
      output: { ciphertext, wrapped_key: wrappedKey, iv, ...usedKey },
    },
  },
  'POST /v1/decrypt': {
    id: 'decrypt',
    about:
      'Decrypts what `POST /v1/encrypt`, or the SDK, encrypted. `wrapped_key` and `iv` are used in place of those inside `ciphertext` when they are sent. One answer, 422, for everything that does not open: altered, another key, another version, another `context`. Never refused for quota.',
    problems: ['envelope_only', 'not_found', 'key_state', 'decryption_failed', 'audit_unwritten'],
    example: {
      input: { ciphertext, ...usedKey, context },
      output: { plaintext: 'J45.0 asthma' },
    },
  },
  'POST /v1/hash': {
    id: 'hash',
    about:
      'Gives the same fingerprint for the same value and key, always, also after a rotation: store it beside the ciphertext and search by it. Send only the field to search for; this is the one call that takes plaintext on an envelope-only tenant. Do not hash what can be guessed, such as dates of birth or postal codes: whoever gets hold of the fingerprints can try them all out. Not in the audit log.',
    problems: ['not_found', 'key_state'],
    example: {
      input: { value: 'alice@example.com', key_id: keyId },
      output: { hash: fingerprint, key_id: keyId },
    },
  },
} satisfies Partial<Calls>;

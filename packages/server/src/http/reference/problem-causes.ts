import type { ProblemCode } from '@eaas/protocol/wire';

/** What each problem means to a caller, and what helps. */
export const problemCauses: Readonly<Record<ProblemCode, string>> = {
  bad_request:
    'Malformed JSON, a field that is missing, unknown or not as it must be, base64 that is not canonical, a data key that is not 32 bytes, an unreadable date. `detail` names the field.',
  unauthorized: 'The API key is absent, unknown, expired or revoked; the answer does not say which.',
  permission_missing: 'The API key lacks the permission, or would give what it lacks itself.',
  origin_refused: 'A browser sent an `Origin` that the API key does not list.',
  envelope_only: 'The tenant is envelope-only: encrypt locally, with a wrapped data key.',
  wrapped_key_unauthentic: 'The `wrapped_key` was altered, or is not of this key and `context`.',
  not_found: 'No such key or API key for this tenant; a name where the UUID is expected; no such path.',
  method_not_allowed: 'The path has other methods: see `Allow`.',
  name_taken: 'Another key of the tenant has this name.',
  key_state: 'The key is not in a state that allows this, or `key_version` is no longer the newest.',
  conflict: 'The state of the API key, or of the tenant’s API keys, does not allow this.',
  too_large: 'The body is larger than 2 MiB (8 MiB for batches), or the headers than 16 KiB (status 431).',
  unsupported_media_type: 'The body is not `application/json`, or is compressed.',
  decryption_failed: 'Altered ciphertext, another key, version or `context`. Which of them is not said.',
  quota_exceeded: 'The month’s encryptions are used up. Not a rate limit: there is none.',
  audit_unwritten: 'The audit entry could not be written, so nothing was released. Send the request again.',
  internal: 'The service failed. Report the `X-Request-Id` to its operator.',
  unavailable: 'The service cannot work just now. Send the request again after `Retry-After` seconds.',
};

import { type Calls, element, evaluatedElement, hashPublicKey, keyId, proof } from './samples.ts';

export const blindHashes = {
  'POST /v1/hash/blind': {
    id: 'blindHash',
    about:
      'Computes fingerprints of values that the service does not see: VOPRF(P-256, SHA-256) of RFC 9497 in verifiable mode. Send 1 to 100 blinded elements. Check `public_key` against the value that you keep, and then the proof, before you unblind `evaluated`. The SDK does all of this. The same value has the same fingerprint under a key, also after a rotation, and never the fingerprint of `POST /v1/hash`. If one element is invalid, the whole request is refused, because one proof covers all elements. This call is not in the audit log.',
    problems: ['not_found', 'key_state'],
    input: { key_id: keyId, elements: [element] },
    output: { key_id: keyId, evaluated: [evaluatedElement], proof, public_key: hashPublicKey },
  },
} satisfies Partial<Calls>;

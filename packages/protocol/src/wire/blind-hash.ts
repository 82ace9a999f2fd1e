import * as z from 'zod/mini';
import type { Endpoints, Group } from './endpoint.ts';
import { limits } from './limits.ts';
import { element, keyId, sized, uuid } from './primitives.ts';
import { samples } from './samples.ts';

export const blindHash = {
  'POST /v1/hash/blind': {
    permission: 'encrypt',
    summary: 'Fingerprint values that the service cannot see',
    body: z.strictObject({ key_id: keyId, elements: z.array(element).check(sized(limits.elements)) }),
    output: z.object({
      key_id: uuid,
      evaluated: z.array(element),
      proof: z.string().register(z.globalRegistry, { contentEncoding: 'base64' }),
      public_key: element,
    }),
  },
} satisfies Endpoints;

/** What the reference says about these calls. */
export const aboutBlindHash = (): Group<typeof blindHash> => ({
  title: 'Blind hashes',
  about: 'Fingerprints of values that never reach the service.',
  calls: {
    'POST /v1/hash/blind': {
      id: 'blindHash',
      about:
        'Computes fingerprints of values that the service does not see: VOPRF(P-256, SHA-256) of RFC 9497 in verifiable mode. Send 1 to 100 blinded elements. Check `public_key` against the value that you keep, and then the proof, before you unblind `evaluated`. The SDK does all of this. The same value has the same fingerprint under a key, also after a rotation, and never the fingerprint of `POST /v1/hash`. If one element is invalid, the whole request is refused, because one proof covers all elements. This call is not in the audit log.',
      problems: ['not_found', 'key_state'],
      input: { key_id: samples.keyId, elements: [samples.element] },
      output: {
        key_id: samples.keyId,
        evaluated: [samples.evaluatedElement],
        proof: samples.proof,
        public_key: samples.hashPublicKey,
      },
    },
  },
});

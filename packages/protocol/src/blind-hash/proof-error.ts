import type { EaasError } from '../errors.ts';

/** Thrown if a response has no valid proof for its blind hashes. The client then returns no blind hash. */
export interface ProofError extends EaasError {
  readonly name: 'ProofError';
  readonly code: 'proof_invalid';
}

/** Thrown if the public key in a response is not the expected one. The client then returns no blind hash. */
export interface PublicKeyChangedError extends EaasError {
  readonly name: 'PublicKeyChangedError';
  readonly code: 'public_key_changed';
}

/**
 * Returns the classes of both errors. The caller passes their base class: if this module imported it, a page would have
 * to load one more file at its start.
 */
export const proofErrors = (Base: typeof EaasError) => ({
  ProofError: class extends Base implements ProofError {
    override readonly name = 'ProofError';
    readonly code = 'proof_invalid';

    constructor() {
      super(
        'the response must prove that its elements belong to its public key (got an invalid proof): the response was altered, or the service is faulty',
      );
    }
  },

  PublicKeyChangedError: class extends Base implements PublicKeyChangedError {
    override readonly name = 'PublicKeyChangedError';
    readonly code = 'public_key_changed';

    constructor(keyId: string, isPinned: boolean) {
      const expected = isPinned ? 'the public key in `hashPublicKeys`' : 'the same public key as before';
      super(
        `the response must have ${expected} for the key ${keyId} (got a different public key): the response was altered, or comes from another service`,
      );
    }
  },
});

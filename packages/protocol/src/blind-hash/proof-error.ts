import { EaasError } from '../errors.ts';

/** Thrown if the response to a request for blind hashes has no valid proof. The client then returns no blind hash. */
export class ProofError extends EaasError {
  override readonly name = 'ProofError';
  readonly code = 'proof_invalid';

  constructor() {
    super(
      'the response must prove that its elements belong to its public key (got an invalid proof): the response was altered, or the service is faulty',
    );
  }
}

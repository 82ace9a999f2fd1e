import { type Problem, problem, type ProblemCode } from '@eaas/protocol/wire';

/** Why a request is not carried out, as the caller is told. Thrown anywhere below a door, which answers it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ProblemCode;

  constructor(code: ProblemCode, detail: string) {
    super(detail);
    this.code = code;
  }

  get problem(): Problem {
    return problem(this.code, this.message);
  }
}

export const keyNotFound = (): Refusal =>
  new Refusal('not_found', 'Key not found: give the key_id that POST /v1/keys returned, never the name.');

/** A row is not what the service wrote. */
export class Tampered extends Refusal {}

/** What a row says when its MAC does not hold. The details are for the operator. */
export const tampered = (): Tampered =>
  new Tampered(
    'unavailable',
    'The stored data did not pass its integrity check; the operator can name it with `eaas audit verify`.',
  );

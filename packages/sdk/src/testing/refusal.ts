import { type Problem, problem, type ProblemCode } from '@eaas/protocol/wire';

/** Why a request is not carried out. Thrown by an operation, answered at the door. */
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

import { type Problem, problem, type ProblemCode } from '@eaas/protocol/wire';

/** Why the browser gets no answer, as it is told. Thrown anywhere in the proxy, answered in one place. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly problem: Problem;
  /** The service's, where it was asked. */
  readonly requestId: string | undefined;

  constructor(
    code: ProblemCode,
    detail: string,
    {
      requestId,
      ...status
    }: Partial<Pick<Problem, 'status' | 'title'>> & { requestId?: string | undefined } = {},
  ) {
    super(detail);
    this.problem = { ...problem(code, detail), ...status };
    this.requestId = requestId;
  }
}

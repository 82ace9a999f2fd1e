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
    super(shown(detail));
    this.problem = { ...problem(code, this.message), ...status };
    this.requestId = requestId;
  }
}

/** A detail names fields, and somebody may have sent an API key as the name of one. */
function shown(detail: string): string {
  return detail.replace(/eaas_sk_\w+/g, 'eaas_sk_…').toWellFormed();
}

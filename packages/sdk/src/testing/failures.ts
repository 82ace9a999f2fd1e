import { InputError } from '@eaas/protocol';
import { endpoints, problem, type ProblemCode, problems, type Route } from '@eaas/protocol/wire';

/**
 * How a call fails: with a problem of the service; `network`, it does not arrive; `answer_lost`, it is carried out and
 * its answer does not arrive; `timeout`, nothing is ever answered; `invalid_response`, somebody else answers.
 */
export type Failure = ProblemCode | 'network' | 'answer_lost' | 'timeout' | 'invalid_response';

const others = /^(network|answer_lost|timeout|invalid_response)$/;

/** Which calls fail, and how many. */
export interface FailureOptions {
  /** How many calls fail; one where absent. */
  readonly times?: number | undefined;
  /** Only calls of this route; any where absent. */
  readonly route?: Route | undefined;
}

interface Ordered {
  readonly failure: Failure;
  readonly route: Route | undefined;
  left: number;
}

/** The failures that are still to come, in the order in which they were asked for. */
export class Failures {
  #ordered: Ordered[] = [];

  add(failure: Failure, { times = 1, route }: FailureOptions): void {
    // Misspelled, the call would succeed, and a test of how it fails test nothing.
    if (!problemOf(failure) && !others.test(failure)) throw new InputError(`no call fails with ${failure}`);
    if (route !== undefined && !Object.hasOwn(endpoints, route)) throw new InputError(`there is no ${route}`);
    this.#ordered.push({ failure, route, left: times });
  }

  /** How a call of this route is to fail, if it is. */
  take(route: Route): Failure | undefined {
    const next = this.#ordered.find((one) => one.left > 0 && (one.route ?? route) === route);
    if (next) next.left--;
    return next?.failure;
  }
}

/** The problem that a failure is answered with, for those that are one. */
export function problemOf(failure: Failure | undefined) {
  return failure !== undefined && Object.hasOwn(problems, failure)
    ? problem(failure as ProblemCode, 'The test asked for this failure.')
    : undefined;
}

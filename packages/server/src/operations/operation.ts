import type { Steps } from '@eaas/protocol/service';
import type { Input, Output, Route } from '@eaas/protocol/wire';
import type { Caller } from '../state/caller.ts';
import type { Service } from '../app/service.ts';
import { decideRead, type Facts } from '../state/decide.ts';
import type { Transaction } from '../store/sql.ts';

export type Operations = {
  readonly [R in Route]: (service: Service, caller: Caller, input: Input<R>) => Promise<Output<R>>;
};

type Read<Request, Found> = (tx: Transaction, facts: Facts, input: Request) => Promise<Found>;

/** An endpoint that reads from a snapshot of the database. */
export function reading<Request, Answer>(read: Read<Request, Answer>) {
  return inShare(read, (found: Answer) => found);
}

/**
 * An endpoint that lists rows. `read` loads them, and returns the steps that check and show them. The steps run after the
 * transaction, in turns of the caller's tenant.
 */
export function listing<Request, Answer>(read: Read<Request, Steps<Answer>>) {
  return inShare(read, (steps, { admission }, caller) => admission.turns.run(caller.tenantId, steps, caller));
}

/** Shows one row a step. A page of API keys can have 2 MB, and to check all its MACs takes 20 ms. */
export function* eachRow<Row, Shown, Answer>(
  rows: readonly Row[],
  show: (row: Row) => Shown,
  answer: (shown: Shown[]) => Answer,
): Steps<Answer> {
  const shown: Shown[] = [];
  for (const row of rows) {
    shown.push(show(row));
    yield;
  }
  return answer(shown);
}

/** Holds the share of the caller's tenant until what was read is shown, because a page of rows can have 4 MB. */
function inShare<Request, Found, Answer>(
  read: Read<Request, Found>,
  show: (found: Found, service: Service, caller: Caller) => Answer | Promise<Answer>,
) {
  return (service: Service, caller: Caller, input: Request): Promise<Answer> =>
    decideRead(service, caller, (facts) => {
      const find = () => service.reads.snapshot((tx) => read(tx, facts, input), 4_000);
      const work = async () => show(await find(), service, caller);
      return service.admission.shares.reads.run(caller.tenantId, 1, work, caller.signal);
    });
}

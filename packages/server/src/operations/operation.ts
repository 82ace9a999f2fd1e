import type { Steps } from '@eaas/protocol/service';
import type { Input, Output, Route } from '@eaas/protocol/wire';
import type { Caller } from '../state/caller.ts';
import type { Service } from '../app/service.ts';
import { decideRead, type Facts } from '../state/decide.ts';
import type { Transaction } from '../store/sql.ts';

export type Operations = {
  readonly [R in Route]: (service: Service, caller: Caller, input: Input<R>) => Promise<Output<R>>;
};

/** An endpoint that reads from a snapshot of the database. */
export function reading<Request, Answer>(
  read: (tx: Transaction, facts: Facts, input: Request) => Promise<Answer>,
) {
  return (service: Service, caller: Caller, input: Request): Promise<Answer> =>
    decideRead(service, caller, (facts) => readNow(service, caller, (tx) => read(tx, facts, input)));
}

/**
 * An endpoint that lists rows. `read` loads them, and returns the steps that check and show them. The steps run after the
 * transaction, in turns of the caller's tenant.
 */
export function listing<Request, Answer>(
  read: (tx: Transaction, facts: Facts, input: Request) => Promise<Steps<Answer>>,
) {
  return (service: Service, caller: Caller, input: Request): Promise<Answer> =>
    decideRead(service, caller, async (facts) => {
      const steps = await readNow(service, caller, (tx) => read(tx, facts, input));
      return service.admission.turns.run(caller.tenantId, steps, caller);
    });
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

function readNow<T>(
  { admission, reads }: Service,
  { tenantId, signal }: Caller,
  read: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return admission.shares.reads.run(tenantId, 1, () => reads.snapshot(read, 4_000), signal);
}

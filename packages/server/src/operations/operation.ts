import type { Input, Output, Route } from '@eaas/protocol/wire';
import type { Caller } from '../caller.ts';
import type { Service } from '../service.ts';
import { decideRead, type Facts } from '../state/decide.ts';
import type { Transaction } from '../store/sql.ts';

export type Operations = {
  readonly [R in Route]: (service: Service, caller: Caller, input: Input<R>) => Promise<Output<R>>;
};

export function reading<Request, Answer>(
  read: (tx: Transaction, facts: Facts, input: Request) => Promise<Answer>,
) {
  return (service: Service, caller: Caller, input: Request): Promise<Answer> =>
    decideRead(service, caller, async (facts) => {
      const { reads } = service.admission.shares;
      const readNow = () => service.reads.snapshot((tx) => read(tx, facts, input), 4_000);
      return reads.run(caller.tenantId, 1, readNow, caller.signal);
    });
}

// Joins who calls and what is asked for to one decision, and has the ledger decide it. Calls come by answer.ts; the operator and
// jobs call `settle` and `run`.
import type { Input, Output, Route } from '@eaas/protocol/wire';
import { type Decision, Missing, noReceipts, receiptIn, type Settled, type View } from './ledger/decision.ts';
import type { Reading } from './ledger/ledger.ts';
import { NoTenant } from './ledger/tenant-cache.ts';
import type { Patience } from './ledger/queue.ts';
import type { Caller, Part } from './operation.ts';
import { authorize, type Holder } from './rules/authorize.ts';
import { Refusal, unauthorized } from './rules/refusal.ts';
import type { Service } from './service.ts';

/** How a call waits, and how it is judged. */
export interface Way extends Patience {
  /** How it reads, if it cannot write. */
  readonly reads?: Reading | undefined;
}

/**
 * Has the ledger decide what a caller asks for, without a promise if it may write and the tenant is remembered. `failed` is told of
 * a Refusal, which has a receipt if the log records it, or of a fault.
 */
export function decide<Answer>(
  service: Pick<Service, 'ledger'>,
  caller: Caller,
  part: Part<Answer>,
  how: Way,
  settled: (settled: Settled<Answer>) => void,
  failed: (error: unknown) => void,
): void {
  const { ledger } = service;
  const decision = decisionOf(caller, part);
  const committed = ({ answer, receipts: all }: Settled<Answer | Refusal>): void => {
    part.end?.();
    const rest = part.rest?.();
    if (rest) return decide(service, caller, rest, how, settled, failed);
    // A batch has its receipts in its items, and users learn none.
    const receipts = caller.isUser || part.isBatch ? noReceipts : all;
    if (!(answer instanceof Refusal)) return settled({ answer, receipts });
    answer.receipt = receiptIn(receipts);
    failed(answer);
  };
  const lost = (error: unknown): void => {
    part.end?.();
    failed(error instanceof NoTenant && caller.asks ? unauthorized() : error);
  };
  if (how.reads) void ledger.read(caller.tenantId, decision, how, how.reads, committed, lost);
  else ledger.decide(caller.tenantId, decision, how, committed, lost);
}

/** As `decide`. Throws Refusal. */
export const settle = <Answer>(
  service: Pick<Service, 'ledger'>,
  caller: Caller,
  part: Part<Answer>,
  how: Way = caller,
): Promise<Settled<Answer>> =>
  new Promise((settled, failed) => decide(service, caller, part, how, settled, failed));

/** Runs an operation for a caller. Throws Refusal. */
export const run = async <R extends Route>(
  service: Service,
  caller: Caller,
  route: R,
  input: Input<R>,
): Promise<Settled<Output<R>>> => {
  const { reads } = service.calls[route];
  return settle(service, caller, partOf(service, caller, route, input), { ...caller, reads });
};

/** Returns what an operation adds to a decision, with what plugins add. */
export const partOf = <R extends Route>(service: Service, caller: Caller, route: R, input: Input<R>) =>
  service.calls[route].part(service, caller, input as object) as Part<Output<R>>;

/** Joins who calls and what is asked for. */
function decisionOf<Answer>(caller: Caller, part: Part<Answer>): Decision<Answer> {
  const prepares = caller.prepare !== undefined || part.prepare !== undefined;
  return {
    author: caller,
    changes: part.changes,
    needs: (view) => caller.needs.concat(unlessRefused(() => part.needs?.(view, caller.holder(view))) ?? []),
    ...(prepares && {
      prepare: async (view: View) => {
        await caller.prepare?.(view);
        const preparing = async () => part.prepare?.(view, allowed(caller, view));
        await preparing().catch((error: unknown) => {
          if (!(error instanceof Refusal)) throw error;
        });
      },
    }),
    judge: (view) => part.judge(view, allowed(caller, view)),
  };
}

/** The caller's rights as they are now. Throws Refusal 401 and 403. */
export function allowed(caller: Caller, view: View): Holder | null {
  const holder = caller.holder(view);
  if (holder && caller.asks) authorize(holder, caller.asks, view);
  return holder;
}

/** Runs what is of use only if the caller may call: `judge` refuses the others, and knows more rows later. */
export function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal || error instanceof Missing) return undefined;
    throw error;
  }
}

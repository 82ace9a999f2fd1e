// Runs the operations of the API: joins who calls and what is asked for to one decision, and has the ledger decide it.
import { endpoints, type Input, type Output, type Receipt, type Route } from '@eaas/protocol/wire';
import { type Decided, type Decision, Missing, type View } from './ledger/decision.ts';
import { NoTenant } from './ledger/place.ts';
import type { Caller, Part } from './operation.ts';
import { authorize, type Holder } from './rules/authorize.ts';
import { Refusal, unauthorized } from './rules/refusal.ts';
import type { Service } from './service.ts';

/**
 * Runs an operation for a caller. The answer comes with the place of its entry in the log: a batch has one in each item, and
 * users learn none. Throws Refusal, which has a receipt if the log records it.
 */
export async function run<R extends Route>(
  service: Service,
  caller: Caller,
  route: R,
  input: Input<R>,
): Promise<{ readonly answer: Output<R>; readonly receipt: Receipt | undefined }> {
  const isBatch = 'item' in endpoints[route];
  const { items = [] } = input as { readonly items?: readonly unknown[] };
  // To parse, to check and to judge them takes a turn of the event loop each.
  const areMany = isBatch && items.length > 100;
  if (areMany) await service.fair.pause(caller.tenantId);
  const part = partOf(service, caller, route, input);
  try {
    if (areMany) await service.fair.pause(caller.tenantId);
    const { answer, receipt } = await settle(service, caller, part);
    return { answer, receipt: isBatch ? undefined : receipt };
  } finally {
    part.end?.();
  }
}

/** Returns what an operation adds to a decision, with what plugins add. */
export function partOf<R extends Route>(service: Service, caller: Caller, route: R, input: Input<R>) {
  const own = service.operations[route](service, caller, input as never);
  const part = service.plugins.reduce(
    (inner, plugin) => plugin.around?.(service, route, inner, caller, input as object) ?? inner,
    own,
  );
  return part as Part<Output<R>>;
}

/** Has the ledger decide what a caller asks for. Throws Refusal. */
export async function settle<T>({ ledger }: Service, caller: Caller, part: Part<T>) {
  let decided: Decided<T>;
  try {
    decided = await decide(ledger, caller, part);
  } catch (error) {
    throw error instanceof NoTenant && caller.asks ? unauthorized() : error;
  }
  const { answer, receipts } = decided;
  const receipt = receipts.count > 0 && !caller.isUser ? receipts.of(0) : undefined;
  if (!(answer instanceof Refusal)) return { answer, receipt };
  answer.receipt = receipt;
  throw answer;
}

function decide<T>(ledger: Service['ledger'], caller: Caller, part: Part<T>) {
  const { tenantId } = caller;
  const decision = decisionOf(caller, part);
  if (part.by === 'append') return ledger.decide(tenantId, decision, caller);
  if (part.by === 'guess') return ledger.confirm(tenantId, decision);
  return ledger.look(tenantId, decision, caller, part.by === 'snapshot');
}

/** Joins who calls and what is asked for. */
export function decisionOf<Answer>(caller: Caller, part: Part<Answer>): Decision<Answer> {
  const prepares = caller.prepare !== undefined || part.prepare !== undefined;
  return {
    author: caller,
    needs: (view) => caller.needs.concat(unlessRefused(() => part.needs?.(view, caller.holder(view))) ?? []),
    ...(prepares && {
      prepare: async (view: View) => {
        await caller.prepare?.(view);
        const preparing = async () => part.prepare?.(view, allowed(caller, view));
        await preparing().catch(laterOn);
      },
    }),
    judge: (view) => part.judge(view, allowed(caller, view)),
  };
}

/** The caller's rights as they are now. Throws Refusal 401 and 403. */
function allowed(caller: Caller, view: View): Holder | null {
  const holder = caller.holder(view);
  if (holder && caller.asks) authorize(holder, caller.asks, view);
  return holder;
}

/** Runs what is of use only if the caller may call: `judge` refuses the others, and knows more rows later. */
export function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    return laterOn(error);
  }
}

/** Lets go of what `judge` finds too. */
function laterOn(error: unknown): undefined {
  if (error instanceof Refusal || error instanceof Missing) return undefined;
  throw error;
}

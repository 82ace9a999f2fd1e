// Decides without waiting, which a store in this process can: for calls that return no promise, like the controls of the service.
import {
  type Appended,
  type Caller,
  changedTooOften,
  decisionOf,
  type Known,
  type Link,
  type Need,
  type Part,
  Refusal,
  refTo,
  type Service,
  tenants,
  unique,
} from '@eaas/service';

/** What a store can do at once. */
export interface StoreAtOnce {
  read(tenantId: string, needs: readonly Need[]): Known;
  append(tenantId: string, link: Link): Appended;
}

/** How often a decision is judged again, for rows that it lacked or because the store has moved on. */
const mostRounds = 8;

/** Has a decision made at once. Nothing can be prepared for it. Throws Refusal. */
export function settleAtOnce<T>({ ledger }: Service, caller: Caller, part: Part<T>, store: StoreAtOnce): T {
  const { tenantId } = caller;
  const decision = decisionOf(caller, part);
  let asked: readonly Need[] = [refTo(tenants, tenantId)];
  for (let round = 0; round < mostRounds; round++) {
    const judged = ledger.judgeOn(tenantId, store.read(tenantId, asked), asked, decision);
    if (judged && 'needs' in judged) asked = unique([...asked, ...judged.needs]);
    else if (judged && (!judged.link || store.append(tenantId, judged.link).outcome === 'written')) {
      ledger.forget(tenantId);
      if (judged.answer instanceof Refusal) throw judged.answer;
      return judged.answer;
    }
  }
  throw changedTooOften();
}

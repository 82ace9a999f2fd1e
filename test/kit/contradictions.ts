// No honest log contradicts itself: those that tests have written are walked at the end. Whatever else a walk finds was a
// test's intention.
import { type Service, type Verification, verifyTenant } from '@eaas/service';

/** Throws if a walk found a contradiction. */
export function requireNone(tenantId: string, { errors }: Pick<Verification, 'errors'>): void {
  const found = errors.filter(({ reason }) => reason === 'contradiction');
  if (found.length === 0) return;
  throw new Error(`the log of ${tenantId} must not contradict itself (got ${JSON.stringify(found)})`);
}

/** Walks along the logs of a service. Throws if one contradicts itself. */
export async function requireNoContradiction(service: Service, tenantIds: Iterable<string>): Promise<void> {
  for (const id of tenantIds) {
    const found = await verifyTenant(service, id, { mostRows: 0 }).catch(() => undefined);
    if (found) requireNone(id, found);
  }
}

import type { Input } from '@eaas/protocol/wire';
import type { Caller } from '../state/caller.ts';
import type { Service } from '../app/service.ts';
import { available } from '../state/decide.ts';
import { type Verification, verifyChain } from './verify/verify-chain.ts';

/** The time limit of a call, in milliseconds, which includes the wait for its place. */
const longest = 10_000;
/** After this time, a call ends at the next page if another tenant waits for its place. */
const leastTime = 1_000;

export async function verifyAudit(
  service: Service,
  caller: Caller,
  input: Input<'GET /v1/audit/verify'>,
): Promise<Verification> {
  const { tenantId, signal } = caller;
  const { verifications } = service.admission.shares;
  const end = performance.now() + longest;
  const verify = async (): Promise<Verification> => {
    const sharesAt = performance.now() + leastTime;
    const timeLeft = () => Math.max(100, end - performance.now());
    // The verification stops one second before its time limit, because the current page can take up to a second.
    const shouldStop = () =>
      timeLeft() < 1_000 || (performance.now() > sharesAt && verifications.delaysOthers(tenantId));
    const verification = await verifyChain(service, tenantId, { ...input, shouldStop, timeLeft });
    if (verification.errors.length > 0) service.tenants.forget(tenantId);
    return verification;
  };
  return available(() => verifications.run(tenantId, 1, verify, signal));
}

import type { Input } from '@eaas/protocol/wire';
import type { Caller } from '../caller.ts';
import type { Service } from '../service.ts';
import { available } from '../state/decide.ts';
import { type Verification, verifyChain } from './verify/verify-chain.ts';

const longest = 10_000;

export async function verifyAudit(
  service: Service,
  caller: Caller,
  input: Input<'GET /v1/audit/verify'>,
): Promise<Verification> {
  const { tenantId, signal } = caller;
  const { verifications } = service.admission.shares;
  const verify = async (): Promise<Verification> => {
    const end = performance.now() + longest;
    const timeLeft = () => Math.max(100, end - performance.now());
    // The verification stops one second before its time limit, because the current page can take up to a second.
    const shouldStop = () => timeLeft() < 1_000;
    const verification = await verifyChain(service, tenantId, { ...input, shouldStop, timeLeft });
    if (verification.errors.length > 0) service.tenants.forget(tenantId);
    return verification;
  };
  return available(() => verifications.run(tenantId, 1, verify, signal));
}

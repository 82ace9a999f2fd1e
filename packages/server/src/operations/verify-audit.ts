import { formatTimestamp, type Input, type Output } from '@eaas/protocol/wire';
import type { Caller } from '../caller.ts';
import type { ChainHead } from '../crypto/checkpoint.ts';
import type { Service } from '../service.ts';
import { available } from '../state/decide.ts';
import { confirmAdmission } from './admit.ts';
import { verifyChain, type Verification } from './verify/verify-chain.ts';

/** A call ends after this long; the next goes on from `next_id`. */
const longest = 10_000;

/** GET /v1/audit/verify. */
export async function verifyAudit(
  service: Service,
  caller: Caller,
  { from_id, to_id, checkpoint }: Input<'GET /v1/audit/verify'>,
): Promise<Output<'GET /v1/audit/verify'>> {
  await confirmAdmission(service, caller);
  const verification = await available(() =>
    service.verifications.run(() => {
      const end = performance.now() + longest;
      const timeLeft = () => Math.max(100, end - performance.now());
      // A page takes a fraction of a second.
      const enough = () => timeLeft() < 1_000;
      const options = { fromId: from_id, toId: to_id, checkpoint, enough, timeLeft };
      return verifyChain(service, caller.tenantId, options);
    }),
  );
  return shownVerification(verification, service.clock());
}

/** A verification as the API shows it. */
export function shownVerification(found: Verification, time: number): Output<'GET /v1/audit/verify'> {
  return {
    valid: found.valid,
    complete: found.nextId === null,
    next_id: found.nextId,
    checked: found.checked,
    first_id: found.firstId,
    last_id: found.lastId,
    purged_through: found.purgedThrough && shownHead(found.purgedThrough),
    head: shownHead(found.head),
    errors: [...found.errors],
    error_count: found.errorCount,
    checkpoint: found.checkpoint && { ...shownHead(found.checkpoint), valid: found.checkpoint.valid },
    verified_at: formatTimestamp(time),
  };
}

function shownHead({ id, hash }: ChainHead): { id: number; hash: string } {
  return { id, hash: Buffer.from(hash).toString('hex') };
}

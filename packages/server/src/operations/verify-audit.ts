import { formatTimestamp, type Input, type Output } from '@eaas/protocol/wire';
import type { Caller } from '../caller.ts';
import type { ChainHead } from '../crypto/checkpoint.ts';
import type { Service } from '../service.ts';
import { available } from '../state/decide.ts';
import { formatCursor, parseCursor } from './verify/rows.ts';
import { verifyChain, type Verification } from './verify/verify-chain.ts';

/** A call ends after this many milliseconds. The next one continues at `next_id` and `next_row`. */
const longest = 10_000;

/** The operation of GET /v1/audit/verify. */
export async function verifyAudit(
  service: Service,
  caller: Caller,
  { from_id, to_id, row, checkpoint }: Input<'GET /v1/audit/verify'>,
): Promise<Output<'GET /v1/audit/verify'>> {
  const { tenantId, signal } = caller;
  const { verifications } = service.admission.shares;
  const verify = (): Promise<Verification> => {
    const end = performance.now() + longest;
    const timeLeft = () => Math.max(100, end - performance.now());
    // Stops when less than a second is left, because a page takes only a fraction of a second.
    const enough = () => timeLeft() < 1_000;
    const cursor = row === undefined ? undefined : parseCursor(row);
    const options = { fromId: from_id, toId: to_id, row: cursor, checkpoint, enough, timeLeft };
    return verifyChain(service, tenantId, options);
  };
  const verification = await available(() => verifications.run(tenantId, 1, verify, signal));
  return shownVerification(verification, service.clock.now());
}

/** Returns a verification as the API shows it. */
export function shownVerification(found: Verification, time: number): Output<'GET /v1/audit/verify'> {
  return {
    valid: found.valid,
    complete: found.nextId === null,
    next_id: found.nextId,
    next_row: found.nextRow && formatCursor(found.nextRow),
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

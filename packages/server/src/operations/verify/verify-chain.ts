import { toHex } from '@eaas/protocol/internal';
import { formatTimestamp, type Input, type Output } from '@eaas/protocol/wire';
import type { ChainHead } from '../../crypto/checkpoint.ts';
import type { Service } from '../../app/service.ts';
import { findAnchor } from '../../store/heads.ts';
import { compareHead, judgeAllAges, judgeCheckpoint, judgeEnds } from './ends.ts';
import { startWalk, walkEntries } from './entries.ts';
import { beginInspection, type Findings, unhurried } from './report.ts';
import { firstRow, formatCursor, parseCursor, walkRows } from './rows.ts';

export interface VerifyOptions extends Input<'GET /v1/audit/verify'> {
  readonly timeLeft?: (() => number) | undefined;
  readonly shouldStop?: ((checked: number, last: number) => boolean) | undefined;
  /** A head that the log once had, and must still contain unless it was purged. */
  readonly known?: ChainHead | undefined;
  /** Verifies only the entries after `known`, and no rows. */
  readonly onlyNew?: boolean;
}

export type Verification = Output<'GET /v1/audit/verify'>;

const mostAttempts = 20;

export async function verifyChain(
  service: Service,
  tenantId: string,
  options: VerifyOptions = {},
): Promise<Verification> {
  return (await unlessPurged(service, tenantId, () => verifyOnce(service, tenantId, options))).verification;
}

interface Verified {
  readonly findings: Findings;
  readonly anchor: ChainHead;
}

/**
 * Repeats a verification if entries were purged at the same time. Such a verification can report the purged entries as
 * missing, although nobody has tampered with the log.
 */
async function unlessPurged<Found extends Verified>(
  { background }: Service,
  tenantId: string,
  verify: () => Promise<Found>,
): Promise<Found> {
  for (let attempt = 1; ; attempt++) {
    const found = await verify();
    if (found.findings.count === 0 || attempt === mostAttempts) return found;
    const anchor = await background.run((sql) => findAnchor(sql, tenantId));
    if (!anchor || anchor.id <= found.anchor.id) return found;
  }
}

async function verifyOnce(service: Service, tenantId: string, options: VerifyOptions) {
  const { row: from, timeLeft = unhurried.timeLeft, known, onlyNew = false } = options;
  const shouldStop = (): boolean => options.shouldStop?.(walk.checked, last) ?? false;
  const inspection = beginInspection(service, tenantId, { shouldStop, timeLeft });
  const { database, findings } = inspection;
  const { ends, checkpoint, first, last, walk, hasRows } = await database.snapshot(async (tx) => {
    const ends = await judgeEnds(tx, inspection, service.tenants.roots);
    const reason = known && (await compareHead(tx, tenantId, known, ends));
    if (reason && reason !== 'checkpoint_purged') findings.add(reason, known.id);
    const log = from ? undefined : service.publicLog;
    const contradicted = await log?.contradicted(tx, tenantId, ends.anchor.id);
    if (contradicted !== undefined) findings.add('proof_mismatch', contradicted);
    const start = known && onlyNew && !reason ? known : undefined;
    if (ends.secrets && !from && !start) await judgeAllAges(tx, inspection, ends);
    const checkpoint = await judgeCheckpoint(tx, inspection, ends, options.checkpoint);
    const { id: before } = start ?? ends.anchor;
    const first = Math.max(options.from_id ?? 1, before + 1);
    const last = Math.min(options.to_id ?? ends.head.id, ends.head.id);
    const walk = await startWalk(tx, tenantId, first, start ?? ends.anchor);
    return { ends, checkpoint, first, last, walk, hasRows: !start };
  }, timeLeft());
  const { secrets, head, anchor } = ends;
  const row =
    secrets && hasRows
      ? await walkRows(inspection, secrets, from === undefined ? firstRow : parseCursor(from))
      : undefined;
  const isRowLeft = row !== undefined && row.table !== 'done';
  if (secrets && !isRowLeft) await walkEntries(inspection, secrets, walk, last);
  const isComplete = !secrets || (!isRowLeft && walk.next > last);
  const isEmpty = !secrets || first > last || isRowLeft;
  const verification: Verification = {
    valid: findings.count > 0 ? false : isComplete ? true : null,
    complete: isComplete,
    next_id: isComplete ? null : walk.next,
    next_row: isComplete || !row ? null : formatCursor(row),
    checked: walk.checked,
    first_id: isEmpty ? null : first,
    last_id: isEmpty ? null : walk.next - 1,
    purged_through: anchor.id > 0 ? shownHead(anchor) : null,
    head: shownHead(head),
    errors: findings.first,
    error_count: findings.count,
    checkpoint: checkpoint && { ...shownHead(checkpoint), valid: checkpoint.valid },
    verified_at: formatTimestamp(service.clock.now()),
  };
  return { findings, anchor, verification };
}

function shownHead({ id, hash }: ChainHead) {
  return { id, hash: toHex(hash) };
}

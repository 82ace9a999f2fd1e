import type { ChainHead } from '../../crypto/checkpoint.ts';
import type { Service } from '../../service.ts';
import { findAnchor } from '../../store/anchors.ts';
import { type JudgedCheckpoint, judgeCheckpoint } from './checkpoint.ts';
import { judgeEnds } from './ends.ts';
import { startWalk, walkEntries } from './entries.ts';
import { type Finding, Findings, type Inspection, unhurried } from './report.ts';
import { firstRow, type RowCursor, walkRows } from './rows.ts';

export interface VerifyOptions {
  readonly fromId?: number | undefined;
  readonly toId?: number | undefined;
  /** Where to continue with the rows. Defaults to the first row. */
  readonly row?: RowCursor | undefined;
  readonly checkpoint?: string | undefined;
  /** Returns the maximum number of milliseconds for a read of the database. */
  readonly timeLeft?: (() => number) | undefined;
  /** Returns whether to stop after the page. Called with the number of verified entries and the last id. */
  readonly enough?: ((checked: number, last: number) => boolean) | undefined;
}

export interface Verification {
  /** True if the whole range is valid; null if the verification is incomplete and has found nothing so far. */
  readonly valid: boolean | null;
  /** Where to continue with the entries and the rows; both null if the verification is complete. */
  readonly nextId: number | null;
  readonly nextRow: RowCursor | null;
  readonly checked: number;
  readonly firstId: number | null;
  readonly lastId: number | null;
  readonly purgedThrough: ChainHead | null;
  readonly head: ChainHead;
  readonly errors: readonly Finding[];
  readonly errorCount: number;
  readonly checkpoint: JudgedCheckpoint | null;
}

const mostAttempts = 20;

/**
 * Verifies a tenant's chain: the head and the anchor, then every row, then each entry of the range. Returns tampering as
 * findings and never throws because of it. Starts again if entries are purged during the verification.
 */
export async function verifyChain(service: Service, tenantId: string, options: VerifyOptions = {}) {
  for (let attempt = 1; ; attempt++) {
    const found = await verifyOnce(service, tenantId, options);
    if (found.errorCount === 0 || attempt === mostAttempts) return found;
    const anchor = await service.background.run((sql) => findAnchor(sql, tenantId));
    if (!anchor || anchor.id <= (found.purgedThrough?.id ?? 0)) return found;
  }
}

async function verifyOnce(service: Service, tenantId: string, options: VerifyOptions): Promise<Verification> {
  const { background: database, tenants, admission } = service;
  const { row: from, timeLeft = unhurried.timeLeft } = options;
  const findings = new Findings();
  const enough = (): boolean => options.enough?.(walk.checked, last) ?? false;
  const inspection: Inspection = {
    database,
    turns: admission.turns,
    tenantId,
    findings,
    enough,
    timeLeft,
  };
  const { ends, checkpoint, first, last, walk } = await database.snapshot(async (tx) => {
    const ends = await judgeEnds(tx, inspection, tenants.roots, !from);
    const checkpoint = await judgeCheckpoint(tx, inspection, ends, options.checkpoint);
    const first = Math.max(options.fromId ?? 1, ends.anchor.id + 1);
    const last = Math.min(options.toId ?? ends.head.id, ends.head.id);
    return { ends, checkpoint, first, last, walk: await startWalk(tx, tenantId, first, ends.anchor) };
  }, timeLeft());
  const { secrets, head, anchor } = ends;
  const row = secrets && (await walkRows(inspection, secrets, from ?? firstRow));
  const isRowLeft = row !== undefined && row.table !== 'done';
  if (secrets && !isRowLeft) await walkEntries(inspection, secrets, walk, last);
  const isComplete = !secrets || (!isRowLeft && walk.next > last);
  const isEmpty = !secrets || first > last || isRowLeft;
  return {
    valid: findings.count > 0 ? false : isComplete ? true : null,
    nextId: isComplete ? null : walk.next,
    nextRow: isComplete || !row ? null : row,
    checked: walk.checked,
    firstId: isEmpty ? null : first,
    lastId: isEmpty ? null : walk.next - 1,
    purgedThrough: anchor.id > 0 ? anchor : null,
    head,
    errors: findings.first,
    errorCount: findings.count,
    checkpoint,
  };
}

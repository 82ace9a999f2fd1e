import type { ChainHead } from '../../crypto/checkpoint.ts';
import type { Service } from '../../service.ts';
import { findAnchor } from '../../store/anchors.ts';
import { entryAt } from '../../store/audit-entries.ts';
import type { Sql } from '../../store/sql.ts';
import { type JudgedCheckpoint, judgeCheckpoint } from './checkpoint.ts';
import { type Ends, judgeEnds } from './ends.ts';
import { unhurried, walkEntries, type Walk } from './entries.ts';
import { type Finding, Findings } from './report.ts';

export interface VerifyOptions {
  readonly fromId?: number | undefined;
  readonly toId?: number | undefined;
  /** A checkpoint that was kept outside: the log must extend it. */
  readonly checkpoint?: string | undefined;
  /** How many milliseconds the database may still take; as long as it takes where absent. */
  readonly timeLeft?: (() => number) | undefined;
  /** Asked between pages: whether to stop there, to be continued. */
  readonly enough?: ((checked: number, last: number) => boolean) | undefined;
}

export interface Verification {
  /** True only when the whole range was finished; null while it is not and nothing is wrong so far. */
  readonly valid: boolean | null;
  readonly nextId: number | null;
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
 * Verifies a tenant's chain: the head, the anchor and every row, then each entry of the range. What was tampered with
 * is a finding, never an exception. Starts over when a purge took the entries away from under it.
 */
export async function verifyChain(
  service: Service,
  tenantId: string,
  options: VerifyOptions = {},
): Promise<Verification> {
  for (let attempt = 1; ; attempt++) {
    const found = await verifyOnce(service, tenantId, options);
    if (found.errorCount === 0 || attempt === mostAttempts) return found;
    const anchor = await service.background.run((sql) => findAnchor(sql, tenantId));
    if (!anchor || anchor.id <= (found.purgedThrough?.id ?? 0)) return found;
  }
}

async function verifyOnce(service: Service, tenantId: string, options: VerifyOptions): Promise<Verification> {
  const { background: database, tenants } = service;
  const { timeLeft = unhurried.timeLeft } = options;
  const findings = new Findings();
  const { ends, checkpoint, first, last, walk } = await database.snapshot(async (tx) => {
    const ends = await judgeEnds(tenants.roots, tx, tenantId, findings);
    const checkpoint = await judgeCheckpoint(tx, tenantId, ends, options.checkpoint, findings);
    const first = Math.max(options.fromId ?? 1, ends.anchor.id + 1);
    const last = Math.min(options.toId ?? ends.head.id, ends.head.id);
    return { ends, checkpoint, first, last, walk: await startWalk(tx, tenantId, first, ends) };
  }, timeLeft());
  const { secrets, head, anchor } = ends;
  const enough = () => options.enough?.(walk.checked, last) ?? false;
  if (secrets) await walkEntries(database, tenantId, secrets, walk, last, findings, { enough, timeLeft });
  const complete = !secrets || walk.next > last;
  const isEmpty = !secrets || first > last;
  return {
    valid: findings.count > 0 ? false : complete ? true : null,
    nextId: complete ? null : walk.next,
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

async function startWalk(sql: Sql, tenantId: string, first: number, { anchor }: Ends): Promise<Walk> {
  const before =
    first === anchor.id + 1 ? { hash: anchor.hash, created_at: 0 } : await entryAt(sql, tenantId, first - 1);
  return { next: first, previous: before?.hash, previousTime: before?.created_at ?? 0, checked: 0 };
}

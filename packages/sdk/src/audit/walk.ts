import { entryHash } from '@eaas/protocol/audit';
import { unreadable } from '../errors.ts';
import type { AuditHead } from './checkpoint.ts';
import { type AuditFinding, type AuditFindingCode, mostFindings } from './findings.ts';
import { fromHex, toHex } from './hex.ts';
import type { AuditEntry } from './list.ts';
import type { AuditMethods } from './methods.ts';
import { firstPlace, pageWith } from './pages.ts';
import { isHead } from './state.ts';

/** The way from an entry to the one that a checkpoint states. */
export interface Walk {
  readonly tenantId: string;
  readonly to: AuditHead;
  /** What was read before: wherever the walk comes by, it must still be so. */
  readonly known: AuditHead;
  /** Whether there was a before: then what was purged since is a loss. */
  readonly isFirst: boolean;
  readonly findings: AuditFinding[];
  /** The last entry that was read, with the hash that was shown; undefined after a gap. */
  at: { id: number; hash: string | undefined };
  /** Where an anchor had to be trusted, if anywhere. */
  start: AuditHead | undefined;
  time: number;
  checked: number;
}

export interface WalkOptions {
  readonly audit: Pick<AuditMethods, 'page' | 'verify'>;
  readonly signal?: AbortSignal | undefined;
  readonly onEntry?: ((entry: AuditEntry) => void | Promise<void>) | undefined;
  /** Told after each page. */
  readonly onPage: () => void | Promise<void>;
}

/** Recomputes the chain entry by entry. What is wrong is a finding; only calls that fail are thrown. */
export async function walkChain(walk: Walk, options: WalkOptions): Promise<void> {
  const place = firstPlace();
  while (walk.at.id < walk.to.id && walk.findings.length < mostFindings) {
    const next = walk.at.id + 1;
    const entries = await pageWith(options.audit, place, next, options.signal);
    const [oldest] = entries;
    if ((!oldest || oldest.id > next) && (await crossPurge(walk, options))) continue;
    let before = 0;
    for (const entry of entries) {
      if (entry.id <= before)
        find(walk, 'entry_repeated', entry.id, `entry ${entry.id} is shown out of order`);
      else before = entry.id;
      if (entry.id === walk.at.id) meet(walk, entry);
      if (entry.id <= walk.at.id || entry.id > walk.to.id) continue;
      judge(walk, entry);
      await options.onEntry?.(entry);
    }
    if (walk.at.id < next) {
      find(walk, 'entry_missing', next, `entries ${next} to ${walk.to.id} are not shown`);
      return;
    }
    await options.onPage();
  }
}

export function find(
  { findings }: Pick<Walk, 'findings'>,
  code: AuditFindingCode,
  id: number | null,
  message: string,
): void {
  if (findings.length < mostFindings) findings.push({ code, id, message });
}

function judge(walk: Walk, entry: AuditEntry): void {
  const { at, tenantId } = walk;
  const { id, hash } = entry;
  if (id > at.id + 1) {
    const gap = id - 1 === at.id + 1 ? `entry ${id - 1} is` : `entries ${at.id + 1} to ${id - 1} are`;
    find(walk, 'entry_missing', at.id + 1, `${gap} not shown`);
    at.hash = undefined;
  }
  if (entry.tenant_id !== tenantId || !isChained(at.hash, entry))
    find(walk, 'entry_altered', id, `entry ${id} is not what was hashed after entry ${id - 1}`);
  const time = Date.parse(entry.created_at);
  if (time < walk.time)
    find(walk, 'time_went_back', id, `entry ${id} claims to be older than the one before`);
  walk.time = time;
  walk.at = { id, hash };
  walk.checked++;
  pass(walk);
}

function isChained(previous: string | undefined, entry: AuditEntry): boolean {
  if (previous === undefined) return true;
  try {
    return toHex(entryHash(fromHex(previous), entry)) === entry.hash;
  } catch {
    return false; // What JSON can spell and canonical JSON cannot, half a surrogate pair.
  }
}

/** Comes by the entry that was read last: it is shown once more, and must not have become another. */
function meet(walk: Walk, { id, hash, created_at }: AuditEntry): void {
  if (walk.at.hash !== undefined && walk.at.hash !== hash) forked(walk, { id, hash: walk.at.hash }, hash);
  walk.at.hash = hash;
  walk.time = Math.max(walk.time, Date.parse(created_at));
}

/** Holds what was come to against what is known of that id. */
function pass(walk: Walk): void {
  const { at, to, known } = walk;
  if (at.hash === undefined) return;
  if (at.id === known.id && at.hash !== known.hash) forked(walk, known, at.hash);
  if (at.id === to.id && at.hash !== to.hash) {
    const text = `entry ${to.id} is shown with the hash ${at.hash}, and the checkpoint was signed for ${to.hash}`;
    find(walk, 'checkpoint_mismatch', to.id, text);
  }
}

function forked(walk: Walk, { id, hash }: AuditHead, now: string): void {
  find(walk, 'fork', id, `entry ${id} had the hash ${hash} when it was read, and now has ${now}`);
}

/** Goes on behind what was purged, when that is why entries are not shown. */
async function crossPurge(walk: Walk, { audit, signal }: WalkOptions): Promise<boolean> {
  const { at, to, known, isFirst } = walk;
  // Narrow: what is asked for is the anchor, which every verification judges.
  const range = { from_id: to.id, to_id: to.id };
  const { purged_through: anchor, valid, errors } = await audit.verify(range, { signal });
  // After an anchor without a hash the next entry could say anything.
  if ((anchor && !isHead(anchor)) || !Array.isArray(errors)) throw unreadable();
  if (valid === false) {
    const reasons = errors.map(({ id, reason }) => (id === null ? reason : `${reason} (${id})`)).join(', ');
    find(walk, 'service_verification_failed', errors[0]?.id ?? null, `the service finds: ${reasons}`);
  }
  if (!anchor || anchor.id <= at.id) return false;
  if (anchor.id > known.id) {
    walk.start = { id: anchor.id, hash: anchor.hash };
    const text = `entries ${Math.max(at.id, known.id) + 1} to ${anchor.id} were purged before they were read`;
    if (!isFirst || anchor.id > to.id) find(walk, 'purged_unread', anchor.id, text);
  }
  walk.at = { id: anchor.id, hash: anchor.hash };
  pass(walk);
  return true;
}

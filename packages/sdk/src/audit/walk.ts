import { entryHash } from '@eaas/protocol/audit';
import { fromHex, toHex } from '@eaas/protocol/internal-audit';
import { unreadable } from '../errors.ts';
import type { CheckOptions } from './check.ts';
import type { AuditHead } from './checkpoint.ts';
import { addFinding, type AuditFinding, mostFindings } from './findings.ts';
import type { AuditEntry } from './list.ts';
import type { AuditMethods } from './methods.ts';
import { pageWith, type Place } from './pages.ts';
import { isHead } from './state.ts';

export interface Walk {
  readonly tenantId: string;
  readonly to: AuditHead;
  readonly known: AuditHead;
  readonly isFirst: boolean;
  readonly findings: AuditFinding[];
  at: { id: number; hash: string | undefined };
  start: AuditHead | undefined;
  time: number;
  checked: number;
}

interface WalkOptions extends Pick<CheckOptions, 'signal' | 'onEntry'> {
  readonly audit: Pick<AuditMethods, 'page' | 'verify'>;
  readonly onPage: () => Promise<void>;
}

export async function walkChain(walk: Walk, options: WalkOptions): Promise<void> {
  const { findings, to } = walk;
  const place: Place = { head: undefined, until: undefined, growth: 0, size: 100 };
  while (walk.at.id < to.id && findings.length < mostFindings) {
    const next = walk.at.id + 1;
    const entries = await pageWith(options.audit, place, next, options.signal);
    const [oldest] = entries;
    if ((!oldest || oldest.id > next) && (await crossPurge(walk, options))) continue;
    let before = 0;
    for (const entry of entries) {
      const { id } = entry;
      if (id <= before) addFinding(findings, 'entry_repeated', id, `entry ${id} is repeated or out of order`);
      else before = id;
      if (id === walk.at.id) repeat(walk, entry);
      if (id <= walk.at.id || id > to.id) continue;
      judge(walk, entry);
      await options.onEntry?.(entry);
    }
    if (walk.at.id < next) {
      addFinding(findings, 'entry_missing', next, `entries ${next} to ${to.id} are missing`);
      return;
    }
    await options.onPage();
  }
}

function judge(walk: Walk, entry: AuditEntry): void {
  const { at, tenantId, findings } = walk;
  const { id, hash } = entry;
  if (id > at.id + 1) {
    const gap = id - 1 === at.id + 1 ? `entry ${id - 1} is` : `entries ${at.id + 1} to ${id - 1} are`;
    addFinding(findings, 'entry_missing', at.id + 1, `${gap} missing`);
    at.hash = undefined;
  }
  if (entry.tenant_id !== tenantId || !isChained(at.hash, entry)) {
    addFinding(
      findings,
      'entry_altered',
      id,
      `the hash of entry ${id} does not match its content and the hash of the previous entry`,
    );
  }
  const time = Date.parse(entry.created_at);
  if (time < walk.time)
    addFinding(findings, 'time_went_back', id, `entry ${id} is older than the one before it`);
  walk.time = time;
  walk.checked++;
  arrive(walk, { id, hash });
}

function isChained(previous: string | undefined, entry: AuditEntry): boolean {
  if (previous === undefined) return true;
  try {
    return toHex(entryHash(fromHex(previous), entry)) === entry.hash;
  } catch {
    return false; // `entryHash` throws for a lone surrogate, which canonical JSON does not allow.
  }
}

function repeat(walk: Walk, { id, hash, created_at }: AuditEntry): void {
  const { hash: before } = walk.at;
  if (before !== undefined && before !== hash) findFork(walk, { id, hash: before }, hash);
  walk.at.hash = hash;
  walk.time = Math.max(walk.time, Date.parse(created_at));
}

function arrive(walk: Walk, at: AuditHead): void {
  const { findings, to, known } = walk;
  walk.at = { ...at };
  if (at.id === known.id && at.hash !== known.hash) findFork(walk, known, at.hash);
  if (at.id === to.id && at.hash !== to.hash) {
    const text = `entry ${to.id} has the hash ${at.hash}, but the checkpoint states ${to.hash}`;
    addFinding(findings, 'checkpoint_mismatch', to.id, text);
  }
}

function findFork({ findings }: Walk, { id, hash }: AuditHead, now: string): void {
  addFinding(findings, 'fork', id, `entry ${id} had the hash ${hash} when it was read, and now has ${now}`);
}

async function crossPurge(walk: Walk, { audit, signal }: WalkOptions): Promise<boolean> {
  const { at, to, known, isFirst, findings } = walk;
  const range = { from_id: to.id, to_id: to.id };
  const { purged_through: anchor, valid, errors } = await audit.verify(range, { signal });
  // The response for a purged log must contain the hash of the last purged entry. Without this hash, any entry would be
  // accepted as the next entry of the chain.
  if ((anchor && !isHead(anchor)) || !Array.isArray(errors)) throw unreadable();
  if (valid === false) {
    const reasons = errors.map(({ id, reason }) => (id === null ? reason : `${reason} (${id})`)).join(', ');
    addFinding(
      findings,
      'service_verification_failed',
      errors[0]?.id ?? null,
      `the verification by the service failed: ${reasons}`,
    );
  }
  if (!anchor || anchor.id <= at.id) return false;
  const { id, hash } = anchor;
  if (id > known.id) {
    walk.start = { id, hash };
    const text = `entries ${Math.max(at.id, known.id) + 1} to ${id} were purged before they were read`;
    if (!isFirst || id > to.id) addFinding(findings, 'purged_unread', id, text);
  }
  arrive(walk, { id, hash });
  return true;
}

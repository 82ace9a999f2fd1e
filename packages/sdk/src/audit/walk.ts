import type { ChainWalk } from '@eaas/protocol/internal-audit';
import { unreadable } from '../errors.ts';
import { isChained } from './chained-entry.ts';
import type { CheckOptions } from './check.ts';
import type { AuditHead } from './checkpoint.ts';
import { addFinding, type AuditFinding, mostFindings } from './findings.ts';
import type { AuditEntry } from './list.ts';
import type { AuditMethods } from './methods.ts';
import { pageWith, type ListPosition } from './pages.ts';
import { isHead } from './state.ts';

export interface Walk {
  readonly tenantId: string;
  readonly to: AuditHead;
  readonly known: AuditHead;
  readonly isFirst: boolean;
  /** Heads that the public log has. */
  readonly proven: readonly AuditHead[];
  readonly findings: AuditFinding[];
  readonly chain: ChainWalk<string>;
  start: AuditHead | undefined;
}

interface WalkOptions extends Pick<CheckOptions, 'signal' | 'onEntry'> {
  readonly audit: Pick<AuditMethods, 'page' | 'verify'>;
  readonly onPage: () => Promise<void>;
}

export async function walkChain(walk: Walk, options: WalkOptions): Promise<void> {
  const { findings, to, chain } = walk;
  const place: ListPosition = { head: undefined, until: undefined, growth: 0, size: 100 };
  while (chain.next <= to.id && findings.length < mostFindings) {
    const { next } = chain;
    const entries = await pageWith(options.audit, place, next, options.signal);
    const [oldest] = entries;
    if ((!oldest || oldest.id > next) && (await crossPurge(walk, options))) continue;
    let before = 0;
    for (const entry of entries) {
      const { id } = entry;
      if (id <= before) addFinding(findings, 'entry_repeated', id, `entry ${id} is repeated or out of order`);
      else before = id;
      if (id === chain.next - 1) repeat(walk, entry);
      if (id < chain.next || id > to.id) continue;
      judge(walk, entry);
      await options.onEntry?.(entry);
    }
    if (chain.next === next) {
      addFinding(findings, 'entry_missing', next, `entries ${next} to ${to.id} are missing`);
      return;
    }
    await options.onPage();
  }
}

function judge(walk: Walk, entry: AuditEntry): void {
  const { chain, tenantId, findings } = walk;
  const { id, hash } = entry;
  const found = chain.step({ id, hash, time: Date.parse(entry.created_at) }, (previous) =>
    isChained(previous, entry),
  );
  if (found.missing > 0) {
    const gap = found.missing === 1 ? `entry ${id - 1} is` : `entries ${id - found.missing} to ${id - 1} are`;
    addFinding(findings, 'entry_missing', id - found.missing, `${gap} missing`);
  }
  if (entry.tenant_id !== tenantId || found.isAltered) {
    addFinding(
      findings,
      'entry_altered',
      id,
      `the hash of entry ${id} does not match its content and the hash of the previous entry`,
    );
  }
  if (found.wentBack)
    addFinding(findings, 'time_went_back', id, `entry ${id} is older than the one before it`);
  arrive(walk, { id, hash });
}

function repeat(walk: Walk, { id, hash, created_at }: AuditEntry): void {
  const { chain } = walk;
  if (chain.previous !== undefined && chain.previous !== hash) {
    findFork(walk, { id, hash: chain.previous }, hash);
  }
  chain.previous = hash;
  chain.time = Math.max(chain.time, Date.parse(created_at));
}

function arrive(walk: Walk, at: AuditHead): void {
  const { findings, to, known, proven } = walk;
  for (const { id, hash } of proven) {
    if (at.id !== id || at.hash === hash) continue;
    const text = `entry ${id} has the hash ${at.hash}, but the public log had a head with the hash ${hash}`;
    addFinding(findings, 'proof_mismatch', id, text);
  }
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
  const { chain, to, known, isFirst, findings } = walk;
  const last = chain.next - 1;
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
  if (!anchor || anchor.id <= last) return false;
  const { id, hash } = anchor;
  if (id > known.id) {
    walk.start = { id, hash };
    const text = `entries ${Math.max(last, known.id) + 1} to ${id} were purged before they were read`;
    if (!isFirst || id > to.id) addFinding(findings, 'purged_unread', id, text);
  }
  chain.skipTo(id + 1);
  chain.previous = hash;
  arrive(walk, { id, hash });
  return true;
}

import type { Draft, Steps } from '@eaas/protocol/service';
import type { Link } from '../store/append.ts';
import type { HeadRow } from '../store/heads.ts';
import { monthOf } from './clock.ts';
import { beginLink } from './link.ts';
import type { Waiting } from './queue.ts';
import type { TenantState } from './tenant-state.ts';

export const statementLimits = { entries: 2_000, bytes: 512 * 1024 } as const;

const spread = 11_000;

export interface Chained {
  readonly lastLink: Link | undefined;
  readonly head: HeadRow;
  readonly chosen: readonly Waiting[];
  readonly overQuota: readonly Waiting[];
}

export function* chain(
  state: TenantState,
  head: HeadRow,
  batch: readonly Waiting[],
  now: number,
): Generator<Link | undefined, Chained, undefined> {
  const quota = state.tenant.monthly_encrypt_quota;
  // Times in the audit log never decrease, even if the clock goes back.
  const created_at = Math.max(now, head.created_at);
  // A replica with a fast clock can begin the next month too early. The other replicas then also count encrypt calls
  // for the next month. If they returned to the old month, the count would begin again at 0.
  const month = head.month === monthOf(now + spread) ? head.month : monthOf(now);
  let encrypts = head.month === month ? head.encrypts : 0;
  let link = beginLink(state, head, created_at);
  let bytes = 0;
  const chosen: Waiting[] = [];
  const overQuota: Waiting[] = [];
  const completeLink = (): Link => {
    const complete = link.complete(() => ({ month, encrypts }));
    link = beginLink(state, complete.next, created_at);
    bytes = 0;
    return complete;
  };
  for (const item of batch) {
    if (item.gone) continue;
    if (item.state !== state || (item.validUntil !== null && now >= item.validUntil)) {
      item.settle('moved');
      continue;
    }
    if (item.isEncrypt && quota !== null && encrypts >= quota) {
      overQuota.push(item);
      continue;
    }
    if (item.isEncrypt) encrypts++;
    chosen.push(item);
    for (const draft of item.drafts) {
      const added = draftBytes(draft);
      const isFull = link.size >= statementLimits.entries || bytes + added > statementLimits.bytes;
      if (link.size > 0 && isFull) yield completeLink();
      link.add(item, draft);
      bytes += added;
      yield;
    }
  }
  const lastLink = link.size > 0 ? completeLink() : undefined;
  return { lastLink, head: lastLink?.next ?? head, chosen, overQuota };
}

export function* nextLink(links: ReturnType<typeof chain>): Steps<Link | Chained> {
  for (;;) {
    const { done, value } = links.next();
    if (done) return value;
    if (value) return value;
    yield;
  }
}

export function draftBytes({ metadata }: Draft): number {
  return 256 + Buffer.byteLength(metadata);
}

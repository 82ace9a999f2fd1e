import type { Draft, Steps } from '@eaas/protocol/service';
import type { Link } from '../store/append.ts';
import type { HeadRow } from '../store/heads.ts';
import { monthOf } from './clock.ts';
import { beginLink } from './link.ts';
import type { Waiting } from './queue.ts';
import type { TenantState } from './tenant-state.ts';

export const statementLimits = { entries: 2_000, bytes: 512 * 1024 } as const;

/** The maximum difference between the clocks of two replicas, in milliseconds. */
const spread = 11_000;

export interface Chained {
  /** The audit entries of the batch's last SQL statement. Undefined if the batch has no entry to write. */
  readonly lastLink: Link | undefined;
  readonly head: HeadRow;
  /** The requests in the batch whose audit entries are chained. */
  readonly chosen: readonly Waiting[];
  /** The requests in the batch that exceed the quota. The service refuses them. */
  readonly overQuota: readonly Waiting[];
}

/**
 * Chains the audit entries of a batch to the head. Yields a `Link`, the entries of one SQL statement, as soon as the
 * statement is full. Returns the last `Link`. Yields undefined after each entry, so that the caller can pause. A
 * request gets the outcome `moved` if the tenant has changed since the decision, or if the API key has expired at
 * `now`.
 */
export function* chain(
  state: TenantState,
  head: HeadRow,
  batch: readonly Waiting[],
  now: number,
): Generator<Link | undefined, Chained, undefined> {
  const quota = state.tenant.monthly_encrypt_quota;
  // Times in the audit log never decrease. While the head's time is later than the current time, new entries get the
  // head's time.
  const created_at = Math.max(now, head.created_at);
  // At the end of a month, another replica might have begun to count the next month. A replica whose clock is a little
  // behind keeps the month of the head.
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

/**
 * Runs `chain` up to the next `Link`. A `Link` is the entries of one SQL statement. After the last statement, returns
 * the whole batch.
 */
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

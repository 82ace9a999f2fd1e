// Builds the statements of an append: links of the hash chain, each with up to 2,000 entries and a new head.
import type { StoredEntry } from '@eaas/protocol/audit';
import type { Draft, Steps, Subject } from '@eaas/protocol/service';
import { entryHashes, entryMacs } from '../crypto/macs.ts';
import { encodeRun, type Link } from '../store/append.ts';
import { type HeadRow, headTable } from '../store/heads.ts';
import { newSubject, type NewSubject } from '../store/subjects.ts';
import { monthOf } from './clock.ts';
import { seal } from './integrity.ts';
import { SubjectMaterial } from './newcomers.ts';
import { rowOfNewcomer } from './subjects.ts';
import type { TenantState, Waiting } from './tenant-view.ts';

/** The most that one statement appends. */
export const statementLimits = { entries: 2_000, bytes: 512 * 1024 } as const;

const spread = 11_000;
/** The size of the row of a new subject in a statement. */
const rowBytes = 512;

/** The end of a chain: its last statement, the head after it, and the requests whose entries it has. */
export interface Chained {
  readonly lastLink: Link | undefined;
  readonly head: HeadRow;
  /** The hashes of all entries of the chain. */
  readonly hashes: readonly string[];
  readonly chosen: readonly Waiting[];
  readonly overQuota: readonly Waiting[];
}

/** Chains the entries of waiting requests after `head`. Yields each complete link, and undefined in between. */
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
  const created = new Set<Subject>();
  let bytes = 0;
  const hashes: string[] = [];
  const chosen: Waiting[] = [];
  const overQuota: Waiting[] = [];
  const completeLink = (): Link => {
    const complete = link.complete(() => ({ month, encrypts }));
    link = beginLink(state, complete.next, created_at);
    bytes = 0;
    return complete;
  };
  for (const waiting of batch) {
    if (waiting.isGone) continue;
    const { isEncrypt, drafts } = waiting.wish;
    if (isEncrypt && quota !== null && encrypts >= quota) {
      overQuota.push(waiting);
      continue;
    }
    if (isEncrypt) encrypts++;
    chosen.push(waiting);
    for (const draft of drafts) {
      const added = draftBytes(draft);
      const isFull = link.size >= statementLimits.entries || bytes + added > statementLimits.bytes;
      if (link.size > 0 && isFull) yield completeLink();
      const newcomer = newcomerOf(draft);
      const isFirst = newcomer && !created.has(newcomer);
      hashes.push(isFirst ? link.create(waiting.wish, draft, newcomer) : link.add(waiting.wish, draft));
      if (newcomer) created.add(newcomer);
      bytes += added;
      yield;
    }
  }
  const lastLink = link.size > 0 ? completeLink() : undefined;
  return { lastLink, head: lastLink?.next ?? head, hashes, chosen, overQuota };
}

/** The steps up to the next link, or to the end of the chain. */
export function* nextLink(links: ReturnType<typeof chain>): Steps<Link | Chained> {
  for (;;) {
    const { done, value } = links.next();
    if (done) return value;
    if (value) return value;
    yield;
  }
}

/** Returns the subject that the entry creates, unless another entry has created it since. */
export function newcomerOf({ creates }: Draft): SubjectMaterial | undefined {
  const subject = creates?.subject;
  return subject instanceof SubjectMaterial && subject.state === 'new' ? subject : undefined;
}

/** Estimates how many bytes an entry adds to a statement. */
export function draftBytes({ metadata, creates }: Draft): number {
  return 256 + Buffer.byteLength(metadata) + (creates ? rowBytes : 0);
}

interface Author {
  readonly actor: string;
  readonly ipAddress: string | null;
}

/**
 * Begins a link after the head `expected`. Consecutive entries that differ only in their ids form a run, which is
 * encoded once.
 */
export function beginLink(state: TenantState, expected: HeadRow, created_at: number) {
  const { tenant, secrets } = state;
  const hashOf = entryHashes();
  const hashes: string[] = [];
  const runs: string[] = [];
  const subjects: NewSubject[] = [];
  let run: StoredEntry | undefined;
  let runFirst = 1;
  let hash = Buffer.from(expected.hash).toString('latin1');
  const endRun = (): void => {
    if (run) runs.push(encodeRun(run, runFirst, hashes.length));
    runFirst = hashes.length + 1;
  };
  const nextId = (): number => expected.id + hashes.length + 1;
  /** Adds an entry. Returns its hash, with one character per byte. */
  const add = (by: Author, draft: Draft): string => {
    const id = nextId();
    if (run && continues(run, by, draft)) hash = hashOf.next(hash, id);
    else {
      endRun();
      run = {
        tenant_id: tenant.tenant_id,
        id,
        action: draft.action,
        key_id: draft.keyId,
        key_version: draft.keyVersion,
        actor: by.actor,
        ip_address: by.ipAddress,
        metadata: draft.metadata,
        created_at,
      };
      hash = hashOf.first(hash, run);
    }
    hashes.push(hash);
    return hash;
  };
  return {
    add,
    /** As `add`, for the first entry of a subject, with the row of the subject. */
    create(by: Author, draft: Draft, newcomer: SubjectMaterial): string {
      subjects.push(newSubject(rowOfNewcomer(state, newcomer, { id: nextId(), created_at })));
      return add(by, { ...draft, metadata: draft.creates?.metadata ?? draft.metadata });
    },
    get size(): number {
      return hashes.length;
    },
    complete(changesOf: (last: Pick<HeadRow, 'id' | 'hash'>) => Partial<HeadRow>): Link {
      endRun();
      const last = { id: expected.id + hashes.length, hash: Buffer.from(hash, 'latin1') };
      const next = seal(secrets, headTable, { ...expected, ...last, created_at, ...changesOf(last) });
      const macs = entryMacs(secrets.auditMac, hashes);
      const seals = hashes.map((each, index) => `${each}${macs[index]}`).join('');
      const rows = subjects.length > 0 ? { subjects } : undefined;
      return { expected, next, runs, seals: Buffer.from(seals, 'latin1'), rows };
    },
  };
}

function continues(run: StoredEntry, { actor, ipAddress }: Author, draft: Draft): boolean {
  return (
    run.metadata === draft.metadata &&
    run.key_id === draft.keyId &&
    run.key_version === draft.keyVersion &&
    run.action === draft.action &&
    run.actor === actor &&
    run.ip_address === ipAddress
  );
}

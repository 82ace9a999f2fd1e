// Verifies a tenant's data: the chain of entries with its ends, a checkpoint, and the rows. The operation calls it
// (operations/audit.ts), and the operator's command and the nightly job of a server.
import { toHex, isBytes } from '@eaas/protocol/internal';
import { type ChainHead, ChainWalk } from '@eaas/protocol/internal-log';
import { genesisHash } from '@eaas/protocol/audit';
import { formatTimestamp, type Input, type Output } from '@eaas/protocol/wire';
import { fromLatin1, sameBytes, toLatin1 } from '#platform';
import { openTenantSecrets, type TenantSecrets } from '../crypto/tenant-secrets.ts';
import { NoTenant } from '../ledger/tenant-cache.ts';
import { checkHead, checkRow } from '../ledger/row-macs.ts';
import type { Known } from '../ledger/store.ts';
import { allOf, nameOf, type Query, refTo } from '../ledger/table.ts';
import {
  type AnchorRow,
  anchors,
  entries,
  type EntryRow,
  type TenantRow,
  tenants,
} from '../ledger/tables.ts';
import { attempt, foreignCheckpoint } from '../rules/refusal.ts';
import type { Service } from '../service.ts';
import { openCheckpoint } from './checkpoint.ts';
import { newestHistory, wholeHistory } from './history.ts';
import { scanRows } from './scan-rows.ts';
import { rowsOfToday } from './today.ts';
import { type Findings, readEntries, reasonFor, report, walkEntries } from './entries.ts';

export interface VerifyOptions extends Input<'GET /v1/audit/verify'> {
  /** A head that the log once had, and must still contain unless it was purged. */
  readonly known?: ChainHead | undefined;
  /** How many rows are compared at most. If the tenant has more, nobody says that it is valid. */
  readonly mostRows?: number;
  /** How many milliseconds are left. The call ends before, and says where the next one begins. */
  readonly timeLeft?: () => number;
  /** Whether all that the log said before `from_id` is read, however long that takes. Absent: only the newest of it. */
  readonly allHistory?: boolean;
  /** Is told that there was more to compare entries with than a verification keeps. */
  readonly onForgotten?: () => void;
  /** Is told the hash of the last entry that was walked over, and the latest time of an entry. */
  readonly walked?: (end: { readonly hash: Uint8Array; readonly time: number }) => void;
}

export type Verification = Output<'GET /v1/audit/verify'>;

const mostAhead = 60_000;
/** How long the rows of a call may take. What is left of the time must be more. */
const timeOfRows = 4_000;

/** Throws NoTenant, and Refusal for a checkpoint that is not the tenant's. */
export async function verifyTenant(service: Service, tenantId: string, options: VerifyOptions = {}) {
  for (;;) {
    const verification = await verifyOnce(service, tenantId, options);
    if (verification.error_count === 0) return verification;
    // Entries that were purged meanwhile are missing, and nobody has tampered with them. A purge ends, so this does.
    const place = refTo(anchors, tenantId);
    const { rows } = await service.store.read(tenantId, [place]);
    const anchor = rows.get(place)?.row as AnchorRow | undefined;
    if ((anchor?.id ?? 0) <= (verification.purged_through?.id ?? 0)) return verification;
  }
}

/** As `verifyTenant`, with what plugins find. */
export async function verifyWithPlugins(service: Service, tenantId: string, options: VerifyOptions = {}) {
  const found = await verifyTenant(service, tenantId, options);
  const errors = [...found.errors];
  for (const plugin of service.plugins) {
    errors.push(...((await plugin.findings?.(service, tenantId, found.purged_through?.id ?? 0)) ?? []));
  }
  const more = errors.length - found.errors.length;
  return more === 0 ? found : { ...found, valid: false, errors, error_count: found.error_count + more };
}

/** What a verification judges, and what it has found so far. */
interface Verifying {
  readonly service: Service;
  readonly tenantId: string;
  readonly findings: Findings;
  readonly ends: Ends;
}

async function verifyOnce(service: Service, tenantId: string, options: VerifyOptions): Promise<Verification> {
  const findings: Findings = { first: [], count: 0 };
  const ends = await judgeEnds(service, tenantId, findings);
  const verifying: Verifying = { service, tenantId, findings, ends };
  const { head, anchor, time } = ends;
  const first = Math.max(options.from_id ?? 1, anchor.id + 1);
  const last = Math.min(options.to_id ?? head.id, head.id);

  const checkpoint = await judgeStated(verifying, options);

  const chain = await chainFrom(verifying, first);
  const { isComplete, areRowsChecked } = await walk(verifying, chain, last, options);
  if (chain.previous !== undefined) {
    options.walked?.({ hash: fromLatin1(chain.previous), time: chain.time });
  }
  // What is believed of the tenant can be rows that were put back for a moment, and are found no more.
  if (isComplete || findings.count > 0) service.ledger.forget(tenantId);

  const isEmpty = chain.next === first;
  return {
    valid: isValid(findings, areRowsChecked),
    complete: isComplete,
    next_id: isComplete ? null : chain.next,
    checked: chain.checked,
    first_id: isEmpty ? null : first,
    last_id: isEmpty ? null : chain.next - 1,
    purged_through: anchor.id > 0 ? shown(anchor) : null,
    head: shown(head),
    errors: findings.first,
    error_count: findings.count,
    rows_checked: areRowsChecked,
    checkpoint,
    verified_at: formatTimestamp(time),
  };
}

/** Null: nothing was found, but not all was compared. */
function isValid(findings: Findings, areRowsChecked: boolean): boolean | null {
  if (findings.count > 0) return false;
  return areRowsChecked ? true : null;
}

/**
 * Judges what the caller says that the log once had. Returns the checkpoint, or null without one. Throws
 * Refusal for one that is not the tenant's.
 */
async function judgeStated(
  verifying: Verifying,
  options: VerifyOptions,
): Promise<Verification['checkpoint']> {
  const { secrets, anchor } = verifying.ends;
  let checkpoint: ChainHead | undefined;
  if (secrets && options.checkpoint !== undefined) {
    checkpoint = await openCheckpoint(secrets.checkpoint, verifying.tenantId, options.checkpoint);
    if (!checkpoint) throw foreignCheckpoint();
  }

  if (options.known && options.known.id >= anchor.id) await isContained(verifying, options.known);
  return checkpoint ? { ...shown(checkpoint), valid: await isContained(verifying, checkpoint) } : null;
}

/** Whether the log contains a head that it once had. Reports one that it does not. */
async function isContained(verifying: Verifying, stated: ChainHead): Promise<boolean> {
  const { head, anchor } = verifying.ends;
  const entry = await entryAt(verifying, stated.id);
  const reason = contradiction(stated, head, anchor, entry);
  if (reason) report(verifying.findings, reason, stated.id);
  return reason === undefined;
}

async function entryAt({ service, tenantId }: Verifying, id: number): Promise<EntryRow | undefined> {
  const [entry] = await readEntries(service, tenantId, [['id', '=', id]], { limit: 1 });
  return entry;
}

/** Begins a walk at the entry `first`, after the entry before it, or after the last one that was purged. */
async function chainFrom(verifying: Verifying, first: number): Promise<ChainWalk<string>> {
  const { anchor } = verifying.ends;
  const isAfterAnchor = first === anchor.id + 1;
  const before = isAfterAnchor ? { hash: anchor.hash, created_at: 0 } : await entryAt(verifying, first - 1);
  return new ChainWalk<string>({
    next: first,
    previous: isBytes(before?.hash) ? toLatin1(before.hash) : undefined,
    time: before?.created_at ?? 0,
  });
}

/**
 * Walks over the entries up to `last`, and then over the rows. Without the tenant's secrets, there is
 * nothing to compare with.
 */
async function walk(
  { service, tenantId, findings, ends }: Verifying,
  chain: ChainWalk<string>,
  last: number,
  options: VerifyOptions,
): Promise<{ readonly isComplete: boolean; readonly areRowsChecked: boolean }> {
  const { mostRows = Infinity, timeLeft = () => Infinity } = options;
  const { secrets, anchor, time } = ends;
  if (!secrets) return { isComplete: true, areRowsChecked: false };

  const readHistory = options.allHistory ? wholeHistory : newestHistory;
  const history = await readHistory(service, tenantId, { from: anchor.id + 1, to: chain.next - 1 });
  const today = rowsOfToday(service, tenantId, secrets);
  const latest = time + mostAhead;
  const walking = { tenantId, secrets, findings, chain, history, today, last, latest };

  await walkEntries(service, walking, () => timeLeft() - timeOfRows);
  const isComplete = chain.next > last && timeLeft() > timeOfRows;
  const areRowsChecked = isComplete && (await scanRows(service, walking, mostRows));
  if (history.hasForgotten || today.hasForgotten()) options.onForgotten?.();
  return { isComplete, areRowsChecked };
}

/** The two ends of a log as far as they can be believed, and the time of the database. */
interface Ends {
  /** Undefined if they do not open. */
  readonly secrets: TenantSecrets | undefined;
  readonly head: ChainHead;
  /** The last purged entry, or the genesis. */
  readonly anchor: ChainHead;
  readonly time: number;
}

/** Judges the tenant's secret, the head, the last purged entry, and the stored entries at both ends of the log. */
async function judgeEnds({ store, roots }: Service, tenantId: string, findings: Findings): Promise<Ends> {
  const tenantRef = refTo(tenants, tenantId);
  const anchorRef = refTo(anchors, tenantId);
  const oldest: Query<EntryRow> = { table: entries, where: [], by: 'id', limit: 1 };
  const newest: Query<EntryRow> = { ...oldest, descending: true };
  const known = await store.read(tenantId, [tenantRef, anchorRef, allOf(oldest), allOf(newest)]);
  const tenant = known.rows.get(tenantRef)?.row as TenantRow | undefined;
  const anchorRow = known.rows.get(anchorRef)?.row as AnchorRow | undefined;
  const firstEntry = entryIn(known, oldest);
  const lastEntry = entryIn(known, newest);
  const { head: headRow, time } = known;
  if (!tenant && !headRow) throw new NoTenant(tenantId);

  const secrets = tenant && attempt(() => openTenantSecrets(roots, tenant));
  const named = tenant ?? { tenant_id: tenantId };
  // The row itself is judged with all others.
  if (!secrets) report(findings, reasonFor(tenants, tenant ? 'changed' : 'missing', named), tenant?.rev);
  if (!headRow) report(findings, 'head_missing', null);
  else if (secrets && !attempt(() => checkHead(secrets, headRow))) report(findings, 'head_changed', null);

  const { id: first = 1 } = firstEntry ?? {};
  const { id: last = 0 } = lastEntry ?? {};
  const genesis = { id: 0, hash: genesisHash(tenantId) };
  const head = headRow ? usable(headRow, last) : genesis;
  const anchor = anchorRow ? usable(anchorRow, 0) : genesis;
  if (last > head.id) report(findings, 'entry_unexpected', head.id + 1);
  else if (headRow && contradiction(head, head, anchor, lastEntry)) {
    report(findings, 'head_mismatch', head.id);
  }
  if (first <= Math.min(last, anchor.id)) report(findings, 'entry_unexpected', first);

  const isUnchanged = (row: AnchorRow) => !secrets || checkRow(secrets, anchors, { row, newest_rev: null });
  if (anchorRow && !attempt(() => isUnchanged(anchorRow))) {
    report(findings, 'purge_anchor_changed', anchorRow.id);
  }
  return { secrets, head, anchor, time };
}

/** A tampered row can have an id that is none, and a hash that is no bytes. */
function usable({ id, hash }: ChainHead, otherwise: number): ChainHead {
  const usableId = [id, otherwise].find((each) => Number.isSafeInteger(each) && each >= 0) ?? 0;
  return { id: usableId, hash: isBytes(hash) ? hash : new Uint8Array() };
}

/** Why a log does not contain a head that it once had, or undefined if it does. */
function contradiction(stated: ChainHead, head: ChainHead, anchor: ChainHead, entry: EntryRow | undefined) {
  if (stated.id > head.id) return 'checkpoint_ahead';
  if (stated.id < anchor.id) return 'checkpoint_purged';

  const { id, hash } = stated.id === anchor.id ? anchor : (entry ?? {});
  const isSame = id === stated.id && isBytes(hash) && sameBytes(hash, stated.hash);
  return isSame ? undefined : 'checkpoint_mismatch';
}

const entryIn = ({ found }: Known, query: Query<EntryRow>): EntryRow | undefined =>
  found.get(nameOf(allOf(query)))?.rows[0]?.row as EntryRow | undefined;

const shown = ({ id, hash }: ChainHead) => ({ id, hash: toHex(hash) });

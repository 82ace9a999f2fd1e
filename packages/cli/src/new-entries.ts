import {
  type ChainHead,
  checkedHead,
  entriesFrom,
  entryAt,
  entryMacHolds,
  type EntryRow,
  findAnchor,
  findHead,
  findTenant,
  openTenant,
  requireAnchor,
  sameBytes,
  type Service,
  shownEntry,
  type TenantSecrets,
} from '@eaas/server/internal';
import { hash as digest } from 'node:crypto';
import { entryPreimage, genesisHash } from '@eaas/protocol/audit';
import { ChainWalk, fromHex, toHex } from '@eaas/protocol/internal-audit';

const pageSize = 500;

export interface Position {
  readonly id: number;
  readonly hash: string;
}

type NoticeReason =
  | 'entries_purged'
  | 'entry_changed'
  | 'entry_missing'
  | 'head_mismatch'
  | 'log_went_back'
  | 'row_changed';

/**
 * A problem that the stream reports to its reader. The stream then sends no further entries of the tenant, unless the
 * reason is `entries_purged`.
 */
export interface Notice {
  readonly reason: NoticeReason;
  readonly id: number;
}

interface Log {
  readonly tenantId: string;
  readonly secrets: TenantSecrets;
  readonly head: ChainHead;
  readonly anchor: ChainHead;
}

/** Every entry is verified before it is yielded. */
export async function* newEntries(service: Service, tenantId: string, sent: Position | undefined) {
  const found = await readLog(service, tenantId, sent);
  if (!found) return;
  const { log, known } = found;
  let last: ChainHead = sent ? { id: sent.id, hash: fromHex(sent.hash) } : log.anchor;
  if (last.id < log.anchor.id) {
    last = log.anchor;
    yield pieceOf(tenantId, [], last, { reason: 'entries_purged', id: last.id });
  } else if (!known || !sameBytes(known, last.hash)) {
    yield pieceOf(tenantId, [], undefined, { reason: 'log_went_back', id: last.id });
    return;
  }
  while (last.id < log.head.id) {
    const first = last.id + 1;
    const page = await service.database.run(
      (sql) => entriesFrom(sql, tenantId, first, log.head.id, pageSize),
      30_000,
    );
    const { rows, end, reason } = verifyPage(log, last, page);
    // The missing entries were purged after the head was read. The next call of `newEntries` reports the purge.
    if (reason === 'entry_missing' && (await isPurged(service, tenantId, end.id + 1))) return;
    last = end;
    yield pieceOf(tenantId, rows, last, reason && { reason, id: last.id + 1 });
    if (reason) return;
  }
  if (!sameBytes(last.hash, log.head.hash)) {
    yield pieceOf(tenantId, [], undefined, { reason: 'head_mismatch', id: last.id });
  }
}

/**
 * The anchor is the last purged entry, or the start of the log. `known` is the hash that the log now has for the last
 * sent entry, or undefined if this entry is missing. If no entry was sent yet, or if the last sent entry is the anchor,
 * `known` is the hash of the anchor.
 */
async function readLog({ database, tenants }: Service, tenantId: string, sent: Position | undefined) {
  const [tenant, row, purged, stored] = await database.snapshot((tx) =>
    Promise.all([
      findTenant(tx, tenantId),
      findHead(tx, tenantId),
      findAnchor(tx, tenantId),
      sent && entryAt(tx, tenantId, sent.id),
    ]),
  );
  if (!tenant || !row) return undefined;
  const { secrets } = openTenant(tenants.roots, tenant);
  const head = checkedHead(secrets, tenantId, row);
  if (purged) requireAnchor(secrets, purged);
  const anchor = purged ?? { id: 0, hash: genesisHash(tenantId) };
  const log: Log = { tenantId, secrets, head, anchor };
  return { log, known: !sent || sent.id === anchor.id ? anchor.hash : stored?.hash };
}

function verifyPage({ tenantId, secrets, head }: Log, start: ChainHead, page: readonly EntryRow[]) {
  const walk = new ChainWalk({ next: start.id + 1, previous: start.hash });
  let end = start;
  const rows: EntryRow[] = [];
  const stop = (reason?: NoticeReason) => ({ rows, end, reason });
  for (const row of page) {
    const { missing, isRepeated, isAltered } = walk.step(row, (previous) => {
      const hash = digest('sha256', entryPreimage(previous, { ...row, tenant_id: tenantId }), 'buffer');
      return sameBytes(hash, row.hash) && entryMacHolds(secrets.auditMac, hash, row.mac);
    });
    if (missing > 0 || isRepeated) return stop('entry_missing');
    if (isAltered) return stop('entry_changed');
    end = { id: row.id, hash: row.hash };
    rows.push(row);
  }
  return page.length === 0 && end.id < head.id ? stop('entry_missing') : stop();
}

async function isPurged({ database }: Service, tenantId: string, id: number): Promise<boolean> {
  const anchor = await database.run((sql) => findAnchor(sql, tenantId));
  return anchor !== undefined && anchor.id >= id;
}

function pieceOf(tenantId: string, rows: readonly EntryRow[], last: ChainHead | undefined, notice?: Notice) {
  return {
    entries: rows.map((row) => shownEntry(tenantId, row)),
    position: last && { id: last.id, hash: toHex(last.hash) },
    ...(notice && { notice }),
  };
}

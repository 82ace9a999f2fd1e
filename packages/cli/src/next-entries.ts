// The entries that follow a position in an audit log, verified, for `eaas audit follow`.
import { genesisHash } from '@eaas/protocol/audit';
import { toHex } from '@eaas/protocol/internal';
import type { ChainHead } from '@eaas/protocol/internal-log';
import {
  type EntryRow,
  isAuthenticEntry,
  readLog,
  Refusal,
  sameBytes,
  type Service,
  shownEntry,
} from '@eaas/server/internal';
import { note } from './output.ts';

const pageSize = 500;

/** An entry that was printed. The hash is null if it was not: the next entry then follows what the log has. */
export interface Position {
  readonly id: number;
  readonly hash: string | null;
}

/** Reads the next entries after a position, in one snapshot. The fault says why no entry follows these. */
export async function nextEntries(
  service: Service,
  tenantId: string,
  after: Position = { id: 0, hash: null },
) {
  const log = await readLog(service, tenantId, after.id, pageSize);
  if (!log) return { entries: [], position: after, isMore: false };
  const { secrets, head, anchor, known, entries: rows } = log;
  const start: ChainHead = anchor ?? { id: 0, hash: genesisHash(tenantId) };
  const isPurged = after.id < start.id;
  let last: ChainHead | undefined = isPurged || after.id === start.id ? start : known;
  const isOther = !isPurged && after.hash !== null && last && toHex(last.hash) !== after.hash;
  if (!last || isOther) {
    const fault = broken(tenantId, after.id, 'is missing, or is another one than before');
    return { entries: [], position: after, isMore: false, fault };
  }
  if (isPurged && after.id > 0)
    note(`${tenantId}: the entries ${after.id + 1} to ${start.id} were purged before they were printed.`);
  const authentic: EntryRow[] = [];
  let fault: Refusal | undefined;
  for (const row of rows) {
    if (row.id !== last.id + 1) fault = broken(tenantId, last.id + 1, 'is missing');
    else if (!isAuthenticEntry(secrets, tenantId, row, last.hash))
      fault = broken(tenantId, row.id, 'is not authentic');
    if (fault) break;
    authentic.push(row);
    last = row;
  }
  const isMore = !fault && rows.length === pageSize;
  if (!fault && !isMore && last.id < head.id) fault = broken(tenantId, last.id + 1, 'is missing');
  if (!fault && !isMore && !sameBytes(last.hash, head.hash))
    fault = broken(tenantId, last.id, 'is not the end of the log');
  const entries = authentic.map((row) => shownEntry(tenantId, row));
  return { entries, position: { id: last.id, hash: toHex(last.hash) }, isMore, ...(fault && { fault }) };
}

function broken(tenantId: string, id: number, what: string): Refusal {
  return new Refusal(
    'conflict',
    `The log of the tenant ${tenantId} is broken: entry ${id} ${what}. Run \`eaas audit verify --tenant ${tenantId}\`.`,
  );
}

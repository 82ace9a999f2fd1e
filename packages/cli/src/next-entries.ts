// Reads an audit log, page by page: `audit follow` verifies what it prints, and `audit export` also writes a log that was changed.
import { genesisHash } from '@eaas/protocol/audit';
import { toHex } from '@eaas/protocol/internal';
import type { ChainHead } from '@eaas/protocol/internal-log';
import {
  type EntryRow,
  isAuthenticEntry,
  readLog,
  type Refusal,
  sameBytes,
  type Service,
  shownEntry,
  Tampered,
} from '@eaas/server/internal';
import type { Operator } from './command.ts';
import { conflict } from './refusal.ts';

const pageSize = 500;

/** The last entry that was read. A hash of null is not compared with what the log has. */
export interface Position {
  readonly id: number;
  readonly hash: string | null;
}

interface Page {
  readonly entries: readonly ReturnType<typeof shownEntry>[];
  readonly position: Position;
  readonly isMore: boolean;
  /** The id of the newest entry. Undefined if there is no log any more. */
  readonly head?: number;
  /** The entries after the position up to this one were purged. */
  readonly purgedTo?: number | undefined;
  readonly fault?: Refusal | undefined;
}

/**
 * Reads the next entries after a position, in one snapshot. The fault says why no entry follows these. Unless it verifies,
 * only a gap is one.
 */
export async function nextEntries(
  service: Service,
  tenantId: string,
  after: Position = { id: 0, hash: null },
  verifies = true,
): Promise<Page> {
  const log = await readLog(service, tenantId, after.id, pageSize);
  const nothing = { entries: [], position: after, isMore: false };
  if (!log) return nothing;
  const { head, anchor, known, entries: rows } = log;
  const secrets = verifies ? log.openSecrets() : undefined;
  const start: ChainHead = anchor ?? { id: 0, hash: genesisHash(tenantId) };
  const isPurged = after.id < start.id;
  let last: ChainHead | undefined = isPurged || after.id === start.id ? start : known;
  const isOther = !isPurged && after.hash !== null && last && toHex(last.hash) !== after.hash;
  if (!last || isOther) {
    const fault = unlike(
      tenantId,
      `does not continue what was read before: entry ${after.id} is missing, or is another one than before. ` +
        "If a backup was restored, or the file is another tenant's, pass a new file",
    );
    return { ...nothing, head: head.id, fault };
  }
  const authentic: EntryRow[] = [];
  let fault: Refusal | undefined;
  for (const row of rows) {
    if (row.id !== last.id + 1) fault = broken(tenantId, last.id + 1, 'is missing');
    else if (secrets && !isAuthenticEntry(secrets, tenantId, row, last.hash)) {
      fault = broken(tenantId, row.id, 'is not authentic');
    }
    if (fault) break;
    authentic.push(row);
    last = row;
  }
  const isMore = !fault && rows.length === pageSize;
  if (!fault && !isMore && last.id < head.id) fault = broken(tenantId, last.id + 1, 'is missing');
  if (secrets && !fault && !isMore && !sameBytes(last.hash, head.hash)) {
    fault = broken(tenantId, last.id, 'is not the end of the log');
  }
  const entries = authentic.map((row) => shownEntry(tenantId, row));
  const position = { id: last.id, hash: toHex(last.hash) };
  const purgedTo = isPurged && after.id > 0 ? start.id : undefined;
  return { entries, position, isMore, head: head.id, purgedTo, fault };
}

/** Reads all entries after a position. Throws the fault after those before it. */
export async function* entriesAfter(service: Service, tenantId: string, after: Position, verifies = false) {
  let position = after;
  let isMore = true;
  while (isMore) {
    const next = await nextEntries(service, tenantId, position, verifies);
    if (next.head === undefined) throw new Tampered('audit_heads', tenantId, tenantId);
    if (next.entries.length > 0 || !next.fault) yield next;
    if (next.fault) throw next.fault;
    ({ position, isMore } = next);
  }
}

/** The id of the last entry before a moment, in milliseconds. 0 if there is none, or no longer. */
export async function lastBefore({ ask }: Operator, moment: number): Promise<number> {
  const date_to = new Date(moment - 1).toISOString();
  const { logs } = await ask('GET /v1/audit', { date_to, limit: 1 });
  return logs[0]?.id ?? 0;
}

const broken = (tenantId: string, id: number, what: string): Refusal =>
  unlike(tenantId, `is broken: entry ${id} ${what}`);

const unlike = (tenantId: string, what: string): Refusal =>
  conflict(`The log of the tenant ${tenantId} ${what}. Run \`eaas audit verify --tenant ${tenantId}\`.`);

// The newest head of a log, checked, and the marks of closed logs.
import { uuidFromBytes, uuidToBytes } from '@eaas/protocol/internal-audit';
import { Closed, Tampered } from '../base/refusal.ts';
import type { TenantSecrets } from '../crypto/key-hierarchy.ts';
import { type HeadRow, headTable } from '../store/heads.ts';
import type { Table } from '../store/rows.ts';
import { macHolds, seal } from './integrity.ts';

export function checkedHead<Head extends HeadRow>(
  secrets: TenantSecrets,
  tenantId: string,
  head: Head | undefined,
): Head {
  if (head && macHolds(secrets, headTable, head)) return head;
  const mark = head && readMark(secrets, head);
  if (mark) throw new Closed(mark.kind);
  throw new Tampered(headTable.name, tenantId, tenantId);
}

/**
 * The source of a move marks the tenant as `moved`. The target marks its copy as `arriving` until it serves the tenant.
 */
export interface Mark {
  readonly kind: 'moved' | 'arriving';
  /**
   * The source and the target of a move store the same `copyId`, so that a copy in a third database cannot complete the
   * move.
   */
  readonly copyId: string;
}

const codes = { moved: 1, arriving: 2 } as const;
const markLength = 17;

/** A closed head has a longer MAC. Earlier versions of the server refuse this MAC, so they cannot continue the log. */
export function closeHead(secrets: TenantSecrets, head: HeadRow, mark: Mark): HeadRow {
  const { mac, ...content } = seal(secrets, tableOf(mark), contentOf(head));
  return { ...content, mac: Buffer.concat([encodeMark(mark), mac]) };
}

export function openHead(secrets: TenantSecrets, head: HeadRow): HeadRow {
  return seal(secrets, headTable, contentOf(head));
}

export function readMark(secrets: TenantSecrets, { mac, ...head }: HeadRow): Mark | undefined {
  if (!(mac instanceof Uint8Array) || mac.length <= markLength) return undefined;
  const mark = decodeMark(mac.subarray(0, markLength));
  if (!mark || !macHolds(secrets, tableOf(mark), { ...head, mac: mac.subarray(markLength) }))
    return undefined;
  return mark;
}

/** Converts the `state_id` of an open audit log into the negative `state_id` of a closed one, and back. */
export function closedStateId(stateId: number): number {
  return -2 - stateId;
}

function tableOf({ kind, copyId }: Mark): Table<HeadRow> {
  return { ...headTable, label: ['eaas closed head v1', kind, copyId] };
}

function contentOf({ tenant_id, id, hash, state_id, state_hash, created_at, month, encrypts }: HeadRow) {
  return { tenant_id, id, hash, state_id, state_hash, created_at, month, encrypts };
}

function encodeMark({ kind, copyId }: Mark): Uint8Array {
  return Buffer.concat([Uint8Array.of(codes[kind]), uuidToBytes(copyId)]);
}

function decodeMark(bytes: Uint8Array): Mark | undefined {
  const kind = bytes[0] === codes.moved ? 'moved' : bytes[0] === codes.arriving ? 'arriving' : undefined;
  return kind && { kind, copyId: uuidFromBytes(bytes.subarray(1)) };
}

// Both ends of what a replica knows of a log: the newest head, checked and remembered, and the marks of closed logs.
import { uuidFromBytes, uuidToBytes } from '@eaas/protocol/internal-audit';
import { LRUCache } from 'lru-cache';
import { Closed, Tampered } from '../base/refusal.ts';
import type { TenantSecrets } from '../crypto/key-hierarchy.ts';
import { sameBytes } from '../crypto/same-bytes.ts';
import { type HeadRow, headTable, type SeenHead } from '../store/heads.ts';
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

interface LastHead {
  readonly id: number;
  readonly hash: Uint8Array;
  isLost: boolean;
}

/**
 * The newest head of each audit log is remembered longer than other data. If a log later has an older head, a restore
 * has removed entries.
 */
export class Timelines {
  readonly #last = new LRUCache<string, LastHead>({ max: 50_000 });
  wentBack = 0;

  last(tenantId: string): LastHead | undefined {
    return this.#last.get(tenantId);
  }

  note(tenantId: string, { id, hash }: { readonly id: number; readonly hash: Uint8Array }): void {
    const last = this.#last.get(tenantId);
    if (last && !last.isLost && last.id >= id) return;
    this.#last.set(tenantId, { id, hash, isLost: false });
  }

  continues(tenantId: string, asked: LastHead | undefined, seen: SeenHead): boolean {
    if (!asked || asked.isLost) return true;
    const then = seen.id === asked.id ? seen.hash : seen.known_hash;
    if (seen.id >= asked.id && (!then || sameBytes(then, asked.hash))) return true;
    this.wentBack++;
    asked.isLost = true;
    const last = this.#last.get(tenantId);
    if (last) last.isLost = true;
    return false;
  }

  forget(tenantId: string): void {
    this.#last.delete(tenantId);
  }
}

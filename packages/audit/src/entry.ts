// What an audit entry is, and whether it continues the chain. Every check of a log or a proof begins here.
import { parseUuid } from '@eaas/protocol';
import { chainHash, entryDigest, genesisHash } from '@eaas/protocol/audit';
import { attempt, fromHex, toHex } from '@eaas/protocol/internal';
import type { Output } from '@eaas/protocol/wire';

/** An entry of the audit log, as the API, `audit.list` of the client and exported files have it. */
export type AuditEntry = Output<'GET /v1/audit'>['logs'][number];

/** Identifies an audit entry by its id and its hash in hex. The id 0 means that the log is empty. */
export interface AuditHead {
  readonly id: number;
  readonly hash: string;
}

/** Returns the head before entry 1. */
export const genesisOf = (tenantId: string): AuditHead => ({ id: 0, hash: toHex(genesisHash(tenantId)) });

/** An entry of a log of which only a part is shown: its digest continues the chain, and says nothing else. */
export interface HiddenEntry {
  readonly id: number;
  readonly digest: string;
}

export const isHidden = (entry: AuditEntry | HiddenEntry): entry is HiddenEntry => 'digest' in entry;

/** Returns the hash of an entry from its digest and the hash of the entry before it. */
export const hashAfter = (previous: string, digest: string): string =>
  toHex(chainHash(fromHex(previous), fromHex(digest)));

/** Returns the digest of an entry, or undefined for what no service writes, such as a lone surrogate. */
export const digestOf = (entry: AuditEntry): string | undefined =>
  attempt(() => (hasMembers(entry) ? toHex(entryDigest(entry)) : undefined));

/** Whether the hash of an entry follows from its content and the hash of the entry before it. */
export function isChained(previous: string, entry: AuditEntry): boolean {
  const digest = digestOf(entry);
  return digest !== undefined && hashAfter(previous, digest) === entry.hash;
}

/** Whether all members have their types: a hash covers texts, so it is the same for 7 and "7". There can be others too. */
function hasMembers(entry: AuditEntry): boolean {
  const { key_id, key_version, ip_address, metadata, created_at, salt } = entry;
  return (
    [entry.tenant_id, entry.action, entry.actor].every((text) => typeof text === 'string') &&
    (key_id === null || typeof key_id === 'string') &&
    (ip_address === null || typeof ip_address === 'string') &&
    (key_version === null || Number.isSafeInteger(key_version)) &&
    typeof metadata === 'object' &&
    /^[0-9a-f]{32}$/.test(salt) &&
    new Date(created_at).toISOString() === created_at
  );
}

/**
 * Whether a value has the place of an entry in a log, and is what a service can have written there: findings and reports quote
 * its tenant and its hash. What else is wrong with it, the hash shows: of a hidden one, nothing would.
 */
export function isEntry(value: unknown): value is AuditEntry | HiddenEntry {
  const entry = Object(value) as AuditEntry | HiddenEntry;
  if (!Number.isSafeInteger(entry.id) || entry.id <= 0) return false;
  if (isHidden(entry)) return isHash(entry.digest) && Object.keys(entry).length === 2;
  return isHash(entry.hash) && isUuid(entry.tenant_id);
}

const isUuid = (id: unknown): boolean => typeof id === 'string' && parseUuid(id) === id;

export const isHash = (text: unknown): boolean => typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);

export const isHead = (head: Partial<AuditHead> | null | undefined): boolean =>
  Number.isSafeInteger(head?.id) && isHash(head?.hash);

/** Whether a value is a head, and nothing else: the one before the entries of a part. */
export const isBareHead = (value: unknown): value is AuditHead =>
  isHead(value as AuditHead | null) &&
  Number(Object(value).id) >= 0 &&
  Object.keys(Object(value)).length === 2;

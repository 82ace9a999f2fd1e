import type { Context } from '@eaas/protocol';
import { canonicalJson, entryHash, genesisHash } from '@eaas/protocol/audit';
import { type AuditAction, formatTimestamp } from '@eaas/protocol/wire';
import type { Refusal } from './refusal.ts';
import { type ApiKey, type Entry, type Key, type Tenant, toHex, versionOf } from './tenant.ts';

/** Who asks, and when. */
export interface Call {
  readonly tenant: Tenant;
  /** Null for the operator and for the service itself. */
  readonly apiKey: ApiKey | null;
  /** As the audit log names it. */
  readonly actor: string;
  /** Of its entries: never before that of the last one. */
  readonly time: number;
}

/** A call of an API key, or of the operator or the service itself. */
export function callBy(tenant: Tenant, by: ApiKey | 'operator' | 'system'): Call {
  const last = tenant.log.at(-1);
  const time = Math.max(tenant.clock(), last ? Date.parse(last.created_at) : 0);
  return typeof by === 'string'
    ? { tenant, apiKey: null, actor: by, time }
    : { tenant, apiKey: by, actor: by.api_key_id, time };
}

/** An entry that is about to be written. */
export interface Draft {
  readonly action: AuditAction;
  readonly key_id: string | null;
  readonly key_version: number | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** An entry about a key, by default about its current version. What is undefined in the metadata is left out. */
export function keyDraft(
  action: AuditAction,
  key: Key,
  metadata: Draft['metadata'] = {},
  key_version: number = versionOf(key),
): Draft {
  return { action, key_id: key.key_id, key_version, metadata };
}

/** An entry that is about no key. */
export function tenantDraft(action: AuditAction, metadata: Draft['metadata']): Draft {
  return { action, key_id: null, key_version: null, metadata };
}

/** What the metadata of a recorded refusal says. */
export function refused({ code }: Refusal): { outcome: 'refused'; code: string } {
  return { outcome: 'refused', code };
}

/** The context as the log keeps it: none and an empty one alike are left out. */
export function logged(context: Context | undefined): Context | undefined {
  return context && Object.keys(context).length > 0 ? context : undefined;
}

/** The id that the next entry will have: the `rev` of what it changes. */
export function nextId({ log }: Tenant): number {
  return log.length + 1;
}

/** Appends an entry, chained to the one before it as the real service's are. */
export function record({ tenant, actor, time }: Call, draft: Draft): void {
  const { log, tenant_id } = tenant;
  const present = Object.entries(draft.metadata).filter(([, value]) => value !== undefined);
  const entry: Omit<Entry, 'hash'> = {
    id: nextId(tenant),
    tenant_id,
    action: draft.action,
    key_id: draft.key_id,
    key_version: draft.key_version,
    actor,
    // That of a client on the same machine; the operator and the service itself have none.
    ip_address: actor === 'operator' || actor === 'system' ? null : '127.0.0.1',
    metadata: JSON.parse(canonicalJson(Object.fromEntries(present))) as Entry['metadata'],
    created_at: formatTimestamp(time),
  };
  log.push({ ...entry, hash: toHex(entryHash(hashOf(tenant, log.length), entry)) });
}

/** The hash of the entry with this id; before the first, that of the empty chain. */
export function hashOf({ log, tenant_id }: Tenant, id: number): Uint8Array {
  const hash = log[id - 1]?.hash;
  if (hash === undefined) return genesisHash(tenant_id);
  return Uint8Array.from(hash.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

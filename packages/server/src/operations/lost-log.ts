// The lost part of a log after a restore: what it took away, and where the restored log ends.
import { genesisHash } from '@eaas/protocol/audit';
import { foreignCheckpoint } from '@eaas/protocol/service';
import type { Service } from '../app/service.ts';
import { Tampered } from '../base/refusal.ts';
import { type ChainHead, openCheckpoint } from '../crypto/checkpoint.ts';
import { isAuthenticEntry } from '../crypto/macs.ts';
import { available } from '../state/decide.ts';
import { checkedHead } from '../state/heads.ts';
import { requireAnchor } from '../state/integrity.ts';
import { noSuchTenant, type TenantState } from '../state/tenant-view.ts';
import { entryAt, readMetadata } from '../store/audit-entries.ts';
import { findAnchor, findHead } from '../store/heads.ts';

/** The members of an object of JSON. */
export type Members = Readonly<Record<string, unknown>>;

/** An entry of the lost log, as `GET /v1/audit` shows it. */
interface LostEntry {
  readonly id: number;
  readonly tenant_id: string;
  readonly action: string;
  readonly key_id: string | null;
  readonly metadata: unknown;
}

/** What the lost log says in the end about one row: the last value of each field that it changed. */
export interface Loss {
  readonly kind: 'tenant' | 'key' | 'api_key' | 'issuer' | 'subject';
  readonly id: string;
  /** The last entry that says it. */
  readonly entryId: number;
  readonly fields: Members;
}

/** Returns what an entry says about a row, if it is about a change that might take something away, or give it back. */
export function lossIn({ id: entryId, tenant_id, action, key_id, metadata }: LostEntry): Loss | undefined {
  const said = isObject(metadata) ? metadata : {};
  const about = (kind: Loss['kind'], id: unknown, fields: Members): Loss | undefined =>
    typeof id === 'string' ? { kind, id, entryId, fields } : undefined;
  const changed = newValues(said['changes']);
  if (action.endsWith('.update') && Object.keys(changed).length === 0) return undefined;
  switch (action) {
    case 'tenant.update':
      return about('tenant', tenant_id, changed);
    case 'key.enable':
      return about('key', key_id, { status: 'active', destroy_at: null });
    case 'key.disable':
    case 'key.restore':
      return about('key', key_id, { status: 'disabled', destroy_at: null });
    case 'key.destroy': {
      const status = said['erased'] === true ? 'destroyed' : 'pending_destruction';
      return about('key', key_id, { status, destroy_at: said['destroy_at'] });
    }
    case 'api_key.update':
      return about('api_key', said['api_key_id'], changed);
    case 'api_key.revoke':
      return about('api_key', said['api_key_id'], { revoked: true });
    case 'issuer.update':
      return about('issuer', said['issuer_id'], changed);
    case 'issuer.revoke':
      return about('issuer', said['issuer_id'], { revoked: true });
    case 'subject.erase':
      return about('subject', said['subject'], {});
    default:
      return undefined;
  }
}

/** Fields that give nobody access. */
const harmless: ReadonlySet<string> = new Set(['name', 'monthly_encrypt_quota', 'created_at', 'root_id']);

/** Returns the last value of each field that an entry changed, without those that give nobody access. */
export function newValues(changes: unknown): Members {
  if (!isObject(changes)) return {};
  const found = Object.entries(changes).filter(([name]) => !harmless.has(name));
  return Object.fromEntries(found.map(([name, change]) => [name, isObject(change) ? change['new'] : null]));
}

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Adds up losses to one for each row, in the order of their last entries. */
export function addedUp(losses: readonly Loss[]): Loss[] {
  const rows = new Map<string, Loss>();
  for (const loss of losses) {
    const name = `${loss.kind} ${loss.id}`;
    const fields = { ...rows.get(name)?.fields, ...loss.fields };
    rows.delete(name);
    rows.set(name, { ...loss, fields });
  }
  return [...rows.values()];
}

/** Returns the state of a tenant as the database has it. */
export async function stateOf(service: Service, tenantId: string): Promise<TenantState> {
  const view = await available(() => service.tenants.view(tenantId));
  if (!view) throw noSuchTenant();
  return view.state;
}

/** Returns the entry that a checkpoint of the tenant names. Throws Refusal for any other text. */
export async function readCheckpoint(service: Service, tenantId: string, text: string): Promise<ChainHead> {
  const { secrets } = await stateOf(service, tenantId);
  const stated = openCheckpoint(secrets.checkpointSeed, tenantId, text);
  if (!stated) throw foreignCheckpoint();
  return stated;
}

/**
 * Returns the newest entry of the log. If repeated changes and acknowledged restores are all that came last, also the
 * entries before them, the newest first: one of them is the one that was restored.
 */
export async function restoredHeads(service: Service, tenantId: string): Promise<ChainHead[]> {
  const { secrets } = await stateOf(service, tenantId);
  return service.database.snapshot(async (tx) => {
    const [found, anchor] = await Promise.all([findHead(tx, tenantId), findAnchor(tx, tenantId)]);
    let { id, hash }: ChainHead = checkedHead(secrets, tenantId, found);
    if (anchor) requireAnchor(secrets, anchor);
    const heads = [{ id, hash }];
    while (id > (anchor?.id ?? 0)) {
      const [entry, earlier] = await Promise.all([
        entryAt(tx, tenantId, id),
        id - 1 === anchor?.id ? anchor : entryAt(tx, tenantId, id - 1),
      ]);
      const previous = earlier?.hash ?? genesisHash(tenantId);
      if (!entry || !isAuthenticEntry(secrets.auditMac, tenantId, entry, previous))
        throw new Tampered('audit_entries', String(id), tenantId);
      const { replayed, restored } = readMetadata(entry);
      if (replayed === undefined && restored === undefined) break;
      id--;
      hash = previous;
      heads.push({ id, hash });
    }
    return heads;
  });
}

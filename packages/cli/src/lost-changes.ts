// What the lost part of a log took away, for `eaas audit replay`, and the operations that take it away again.
import { canonicalJson, type ChainedEntry } from '@eaas/protocol/audit';
import { effectIn } from '@eaas/protocol/internal-log';
import { requireTenant, shownTrustIn, updateTenant } from '@eaas/server/internal';
import type { Operator } from './command.ts';
import { ifFound } from './refusal.ts';

type Members = Readonly<Record<string, unknown>>;

/** The last entry of the lost log about one row, and what the lost log says about the row. */
export interface Loss {
  readonly kind: 'tenant' | 'key' | 'key_version' | 'api_key' | 'issuer' | 'subject';
  readonly id: string;
  readonly entryId: number;
  readonly fields: Members;
}

/** A loss that a restored tenant does not show. */
export interface Undone {
  readonly loss: Loss;
  readonly name: string | null;
  readonly action: string;
  /** Repeats it, or what only the operator can do. */
  readonly repeat: (() => Promise<unknown>) | string;
}

/** Returns what an entry says about a row, if it says something that a restore lost. */
export function lossIn(entry: ChainedEntry): Loss | undefined {
  const said = effectIn(entry, Object(entry.metadata) as Members);
  if (!said || said.creates) return undefined;
  const { of, id, columns: fields } = said;
  // The oldest version that opens is repeated apart from what the key's status says.
  return { kind: 'min_version' in fields ? 'key_version' : of, id, entryId: entry.id, fields };
}

/** Returns the last loss of each row, in their order, with the last value of each field. */
export function lastOfEach(losses: readonly Loss[]): Loss[] {
  const rows = new Map<string, Loss>();
  for (const loss of losses) {
    const name = `${loss.kind} ${loss.id}`;
    const fields = { ...rows.get(name)?.fields, ...loss.fields };
    rows.delete(name);
    rows.set(name, { ...loss, fields });
  }
  return [...rows.values()];
}

/** Compares a loss with the row of the tenant. Nothing is undone of a row that the restored database never knew. */
export async function undoneOf(operator: Operator, loss: Loss): Promise<Undone | undefined> {
  if (loss.kind === 'tenant') return tenantUndone(operator, loss);
  if (loss.kind === 'subject') return subjectUndone(operator, loss);
  if (loss.kind === 'key') return keyUndone(operator, loss);
  if (loss.kind === 'key_version') return versionUndone(operator, loss);
  return accessUndone(operator, loss);
}

async function tenantUndone({ service }: Operator, loss: Loss): Promise<Undone | undefined> {
  const { tenant } = await requireTenant(service, loss.id);
  if (loss.fields['envelope_only'] !== true || tenant.envelope_only) return undefined;
  const repeat = () => updateTenant(service, loss.id, { envelope_only: true });
  return { loss, name: tenant.name, action: 'tenant.update', repeat };
}

/** Also a subject that the restored database never knew is erased, because a delayed job could bring the person back. */
async function subjectUndone({ ask }: Operator, loss: Loss): Promise<Undone | undefined> {
  const subject_id = loss.id;
  if (!/^[\da-f]{64}$/.test(subject_id)) return undefined;
  const found = await ifFound(ask('POST /v1/subjects/show', { subject_id }));
  if (found && found.erased_at !== null) return undefined;
  const repeat = () => ask('POST /v1/subjects/erase', { subject_id, create: true });
  return { loss, name: null, action: 'subject.erase', repeat };
}

const day = 86_400_000;

/** When the material of a key is erased, in milliseconds. */
function endOf({ status, destroy_at }: Members): number {
  if (status === 'destroyed') return 0;
  return status === 'pending_destruction' ? Date.parse(String(destroy_at)) : Infinity;
}

async function keyUndone({ service, ask }: Operator, loss: Loss): Promise<Undone | undefined> {
  const key_id = loss.id;
  const key = await ifFound(ask('GET /v1/keys/:key_id', { key_id, limit: 1 }));
  if (!key) return undefined;
  const { name, status } = key;
  const end = endOf(key);
  const lostEnd = endOf(loss.fields);
  const now = service.ledger.clock.now();
  const disable = () => ask('POST /v1/keys/:key_id/disable', { key_id });
  if (status === 'active' && loss.fields['status'] === 'disabled') {
    return { loss, name, action: 'key.disable', repeat: disable };
  }
  const isPending = status === 'pending_destruction';
  // The operation counts in days, so what it repeats can be later by less than one. A key that is due is erased by the next
  // server, and cannot be restored.
  if (lostEnd < Infinity && lostEnd + day <= end && end > now) {
    const repeat = async (): Promise<void> => {
      if (status === 'active') await disable();
      if (isPending) await ask('POST /v1/keys/:key_id/restore', { key_id });
      const grace_days = Math.min(365, Math.max(0, Math.ceil((lostEnd - now) / day)));
      await ask('DELETE /v1/keys/:key_id', { key_id, grace_days });
    };
    return { loss, name, action: 'key.destroy', repeat };
  }
  // A destruction that the lost log cancelled or postponed is pending again, and ends sooner than anyone expects.
  const repeat = 'restore it first, because the lost log cancelled or postponed its destruction';
  return isPending && end < lostEnd ? { loss, name, action: 'key.restore', repeat } : undefined;
}

async function versionUndone({ ask }: Operator, loss: Loss): Promise<Undone | undefined> {
  const key_id = loss.id;
  const key_version = Number(loss.fields['min_version']);
  const key = await ifFound(ask('GET /v1/keys/:key_id', { key_id, limit: 1 }));
  if (!key || key.status === 'destroyed' || key.min_version >= key_version) return undefined;
  const repeat = () => ask('PUT /v1/keys/:key_id/min-version', { key_id, key_version });
  return { loss, name: key.name, action: 'key.min_version', repeat };
}

async function accessUndone({ ask }: Operator, loss: Loss): Promise<Undone | undefined> {
  const isApiKey = loss.kind === 'api_key';
  const path = isApiKey ? '/v1/api-keys/:api_key_id' : '/v1/issuers/:issuer_id';
  const input = isApiKey ? { api_key_id: loss.id } : { issuer_id: loss.id };
  type Found = Promise<{ name: string; revoked_at: string | null }>;
  const call = (method: 'GET' | 'PATCH' | 'DELETE', set?: object): Found =>
    ask(`${method} ${path}`, { ...set, ...input });
  const found = await ifFound(call('GET'));
  if (!found || found.revoked_at !== null) return undefined;
  const { name } = found;
  if (loss.fields['revoked_at'] === true) {
    return { loss, name, action: `${loss.kind}.revoke`, repeat: () => call('DELETE') };
  }
  const set: Record<string, unknown> = {};
  for (const [field, last] of Object.entries(loss.fields)) {
    const value = narrower(field, Reflect.get(found, field), last);
    if (value !== undefined) set[field] = value;
  }
  const fields = Object.keys(set);
  if (fields.length === 0) return undefined;
  const byHand = `set ${fields.join(', ')} as before the loss: the log does not have the values`;
  const repeat = Object.values(set).includes(null) ? byHand : () => call('PATCH', set);
  return { loss, name, action: `${loss.kind}.update`, repeat };
}

/**
 * Returns the value of a field that takes from a row what the lost log took: undefined if that is nothing, and null if only
 * the operator knows it. That is so for what decides whose tokens are accepted, of which the log may have only a hash.
 */
function narrower(field: string, now: unknown, last: unknown): unknown {
  if (Array.isArray(last)) {
    if (!Array.isArray(now)) return last;
    const kept = now.filter((one) => last.includes(one));
    if (kept.length === now.length) return undefined;
    return kept.length > 0 ? kept : null;
  }
  if (field === 'expires_at' && typeof last === 'string') {
    return typeof now === 'string' && now <= last ? undefined : last;
  }
  if (field === 'max_age_seconds') return Number(last) < Number(now) ? last : undefined;
  if (!/^(?:jwks|jwks_uri|require|authorized_parties)$/.test(field)) return undefined;
  const json = typeof now === 'string' || now === null ? now : canonicalJson(now);
  return shownTrustIn(json) === last ? undefined : null;
}

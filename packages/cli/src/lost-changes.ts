// What the lost part of a log took away, for `eaas audit replay`, and the operations that take it away again.
import { canonicalJson } from '@eaas/protocol/audit';
import {
  type Caller,
  operations,
  type Refusal,
  requireTenant,
  type Service,
  shownTrust,
  updateTenant,
} from '@eaas/server/internal';
import type { Entry } from './audit-verify-file.ts';
import { isRefusal } from './failure.ts';

type Members = Readonly<Record<string, unknown>>;

/** What the lost log says in the end about one row: the last value of each field that it changed. */
export interface Loss {
  readonly kind: 'tenant' | 'key' | 'api_key' | 'issuer' | 'subject';
  readonly id: string;
  /** The last entry that says it. */
  readonly entryId: number;
  readonly fields: Members;
}

/** A loss that a restored tenant does not show. */
export interface Undone {
  readonly loss: Loss;
  readonly name: string | null;
  readonly action: string | null;
  /** What the lost log set. */
  readonly sets: Members;
  /** Repeats it. Without it, only the operator can. */
  readonly repeat?: () => Promise<unknown>;
}

/** Returns what an entry says about a row, if it is about a change that might take something away, or give it back. */
export function lossIn({ id: entryId, tenant_id, action, key_id, metadata }: Entry): Loss | undefined {
  const said = membersOf(metadata);
  const about = (kind: Loss['kind'], id: unknown, fields: Members): Loss | undefined =>
    typeof id === 'string' ? { kind, id, entryId, fields } : undefined;
  const changed = newValues(said);
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

function newValues({ changes }: Members): Members {
  const found = Object.entries(membersOf(changes)).filter(([name]) => !harmless.has(name));
  return Object.fromEntries(found.map(([name, change]) => [name, membersOf(change)['new']]));
}

const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};

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

/** Compares a loss with the row of the tenant. Nothing is undone of a row that the restored database never knew. */
export async function undoneOf(service: Service, operator: Caller, loss: Loss): Promise<Undone[]> {
  if (loss.kind === 'tenant') return tenantUndone(service, loss);
  if (loss.kind === 'subject') return subjectUndone(service, operator, loss);
  if (loss.kind === 'key') return keyUndone(service, operator, loss);
  return accessUndone(service, operator, loss);
}

async function tenantUndone(service: Service, loss: Loss): Promise<Undone[]> {
  const { tenant } = await requireTenant(service, loss.id);
  if (loss.fields['envelope_only'] !== true || tenant.envelope_only) return [];
  const sets = { envelope_only: true };
  const repeat = () => updateTenant(service, loss.id, sets);
  return [{ loss, name: tenant.name, action: 'tenant.update', sets, repeat }];
}

/** Also a subject that the restored database never knew is erased, because a delayed job could bring the person back. */
async function subjectUndone(service: Service, operator: Caller, loss: Loss): Promise<Undone[]> {
  const subject_id = loss.id;
  if (!/^[\da-f]{64}$/.test(subject_id)) return [];
  const found = await ifFound(operations['POST /v1/subjects/show'](service, operator, { subject_id }));
  if (found && found.erased_at !== null) return [];
  const repeat = () => operations['POST /v1/subjects/erase'](service, operator, { subject_id, create: true });
  return [{ loss, name: null, action: 'subject.erase', sets: {}, repeat }];
}

const byFinality = ['active', 'disabled', 'pending_destruction', 'destroyed'];
const day = 86_400_000;

async function keyUndone(service: Service, operator: Caller, loss: Loss): Promise<Undone[]> {
  const key_id = loss.id;
  const key = await ifFound(operations['GET /v1/keys/:key_id'](service, operator, { key_id, limit: 1 }));
  if (!key) return [];
  const { name, status } = key;
  const { status: lost, destroy_at: lostDue } = loss.fields;
  const now = service.ledger.clock.now();
  const [due, last] = [Date.parse(key.destroy_at ?? ''), Date.parse(String(lostDue))];
  const isPending = status === 'pending_destruction';
  // A key that is due is erased by the next server, and cannot be restored.
  const isFurther =
    byFinality.indexOf(String(lost)) > byFinality.indexOf(status) && !(isPending && due <= now);
  // The operation counts in days, so what it repeats can be later by less than one.
  const isLater = isPending && lost === status && due >= last + day;
  const sets = { status: lost, destroy_at: lostDue };
  if (isFurther || isLater) {
    if (lost === 'disabled') {
      const repeat = () => operations['POST /v1/keys/:key_id/disable'](service, operator, { key_id });
      return [{ loss, name, action: 'key.disable', sets: {}, repeat }];
    }
    const days = lost === 'destroyed' ? 0 : Math.ceil((last - now) / day);
    const repeat = async (): Promise<void> => {
      if (status === 'active')
        await operations['POST /v1/keys/:key_id/disable'](service, operator, { key_id });
      if (isPending) await operations['POST /v1/keys/:key_id/restore'](service, operator, { key_id });
      const grace_days = Math.min(365, Math.max(0, days));
      await operations['DELETE /v1/keys/:key_id'](service, operator, { key_id, grace_days });
    };
    return [{ loss, name, action: 'key.destroy', sets, repeat }];
  }
  // A destruction that the lost log cancelled or postponed is pending again, and ends sooner than anyone expects.
  const isSooner = isPending && (lost === 'active' || lost === 'disabled' || due < last);
  return isSooner ? [{ loss, name, action: null, sets }] : [];
}

async function accessUndone(service: Service, operator: Caller, loss: Loss): Promise<Undone[]> {
  const { kind, id, fields } = loss;
  const [ofApiKey, ofIssuer] = [{ api_key_id: id }, { issuer_id: id }];
  const found =
    kind === 'api_key'
      ? await ifFound(operations['GET /v1/api-keys/:api_key_id'](service, operator, ofApiKey))
      : await ifFound(operations['GET /v1/issuers/:issuer_id'](service, operator, ofIssuer));
  if (!found || found.revoked_at !== null) return [];
  const { name } = found;
  if (fields['revoked'] === true) {
    const repeat = () =>
      kind === 'api_key'
        ? operations['DELETE /v1/api-keys/:api_key_id'](service, operator, ofApiKey)
        : operations['DELETE /v1/issuers/:issuer_id'](service, operator, ofIssuer);
    return [{ loss, name, action: `${kind}.revoke`, sets: {}, repeat }];
  }
  const now: Members = 'issuer_id' in found ? { ...found, ...trustOf(found) } : { ...found };
  const narrower = Object.entries(fields).filter(([field, last]) => narrows(field, now[field], last));
  return narrower.length === 0 ? [] : [{ loss, name, action: null, sets: Object.fromEntries(narrower) }];
}

type Issuer = Awaited<ReturnType<(typeof operations)['GET /v1/issuers/:issuer_id']>>;

function trustOf(issuer: Issuer): Members {
  const json = (value: unknown): string | null => (value === null ? null : canonicalJson(value));
  return shownTrust({ ...issuer, jwks: json(issuer.jwks), require: json(issuer.require) });
}

/** Whether the last value of a field might give less than the one that was restored. Of lists, more gives more. */
function narrows(field: string, now: unknown, last: unknown): boolean {
  if (last === null) return false;
  if (field === 'expires_at') return typeof now !== 'string' || (typeof last === 'string' && last < now);
  if (Array.isArray(last)) return !Array.isArray(now) || now.some((one) => !last.includes(one));
  return now !== last;
}

async function ifFound<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: Refusal) => {
    if (isRefusal(error, 'not_found')) return undefined;
    throw error;
  });
}

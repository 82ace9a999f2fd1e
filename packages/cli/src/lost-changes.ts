// What the lost part of a log took away, for `eaas audit replay`, and the operations that take it away again.
import type { ChainedEntry } from '@eaas/protocol/audit';
import { type Caller, operations, requireTenant, type Service, updateTenant } from '@eaas/server/internal';
import { ifFound } from './failure.ts';

type Members = Readonly<Record<string, unknown>>;

/** The last entry of the lost log about one row, and what it says. */
export interface Loss {
  readonly kind: 'tenant' | 'key' | 'api_key' | 'issuer' | 'subject';
  readonly id: string;
  readonly entryId: number;
  readonly fields: Members;
}

/** A loss that a restored tenant does not show. */
export interface Undone {
  readonly loss: Loss;
  readonly name: string | null;
  readonly action: string;
  /** Repeats it. Without it, only the operator can. */
  readonly repeat?: () => Promise<unknown>;
}

/** Returns what an entry says about a row, if it takes something away for good, or gives it back. */
export function lossIn({ id: entryId, tenant_id, action, key_id, metadata }: ChainedEntry): Loss | undefined {
  const said = membersOf(metadata);
  const about = (kind: Loss['kind'], id: unknown, fields: Members = {}): Loss | undefined =>
    typeof id === 'string' ? { kind, id, entryId, fields } : undefined;
  switch (action) {
    case 'tenant.update': {
      const { envelope_only } = membersOf(said['changes']);
      return envelope_only === undefined ? undefined : about('tenant', tenant_id, membersOf(envelope_only));
    }
    case 'key.enable':
      return about('key', key_id, { status: 'active' });
    case 'key.disable':
    case 'key.restore':
      return about('key', key_id, { status: 'disabled' });
    case 'key.destroy': {
      const status = said['erased'] === true ? 'destroyed' : 'pending_destruction';
      return about('key', key_id, { status, destroy_at: said['destroy_at'] });
    }
    case 'api_key.revoke':
      return about('api_key', said['api_key_id']);
    case 'issuer.revoke':
      return about('issuer', said['issuer_id']);
    case 'subject.erase':
      return about('subject', said['subject']);
    default:
      return undefined;
  }
}

const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};

/** Returns the last loss of each row, in their order. */
export function lastOfEach(losses: readonly Loss[]): Loss[] {
  const rows = new Map<string, Loss>();
  for (const loss of losses) {
    const name = `${loss.kind} ${loss.id}`;
    rows.delete(name);
    rows.set(name, loss);
  }
  return [...rows.values()];
}

/** Compares a loss with the row of the tenant. Nothing is undone of a row that the restored database never knew. */
export async function undoneOf(service: Service, operator: Caller, loss: Loss): Promise<Undone | undefined> {
  if (loss.kind === 'tenant') return tenantUndone(service, loss);
  if (loss.kind === 'subject') return subjectUndone(service, operator, loss);
  if (loss.kind === 'key') return keyUndone(service, operator, loss);
  return accessUndone(service, operator, loss);
}

async function tenantUndone(service: Service, loss: Loss): Promise<Undone | undefined> {
  const { tenant } = await requireTenant(service, loss.id);
  if (loss.fields['new'] !== true || tenant.envelope_only) return undefined;
  const repeat = () => updateTenant(service, loss.id, { envelope_only: true });
  return { loss, name: tenant.name, action: 'tenant.update', repeat };
}

/** Also a subject that the restored database never knew is erased, because a delayed job could bring the person back. */
async function subjectUndone(service: Service, operator: Caller, loss: Loss): Promise<Undone | undefined> {
  const subject_id = loss.id;
  if (!/^[\da-f]{64}$/.test(subject_id)) return undefined;
  const found = await ifFound(operations['POST /v1/subjects/show'](service, operator, { subject_id }));
  if (found && found.erased_at !== null) return undefined;
  const repeat = () => operations['POST /v1/subjects/erase'](service, operator, { subject_id, create: true });
  return { loss, name: null, action: 'subject.erase', repeat };
}

const byFinality = ['active', 'disabled', 'pending_destruction', 'destroyed'];
const day = 86_400_000;

async function keyUndone(service: Service, operator: Caller, loss: Loss): Promise<Undone | undefined> {
  const key_id = loss.id;
  const key = await ifFound(operations['GET /v1/keys/:key_id'](service, operator, { key_id, limit: 1 }));
  if (!key) return undefined;
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
  if (isFurther || isLater) {
    const disable = () => operations['POST /v1/keys/:key_id/disable'](service, operator, { key_id });
    if (lost === 'disabled') return { loss, name, action: 'key.disable', repeat: disable };
    const days = lost === 'destroyed' ? 0 : Math.ceil((last - now) / day);
    const repeat = async (): Promise<void> => {
      if (status === 'active') await disable();
      if (isPending) await operations['POST /v1/keys/:key_id/restore'](service, operator, { key_id });
      const grace_days = Math.min(365, Math.max(0, days));
      await operations['DELETE /v1/keys/:key_id'](service, operator, { key_id, grace_days });
    };
    return { loss, name, action: 'key.destroy', repeat };
  }
  // A destruction that the lost log cancelled or postponed is pending again, and ends sooner than anyone expects.
  const isSooner = isPending && (lost === 'active' || lost === 'disabled' || due < last);
  return isSooner ? { loss, name, action: 'key.restore' } : undefined;
}

async function accessUndone(service: Service, operator: Caller, loss: Loss): Promise<Undone | undefined> {
  const [ofApiKey, ofIssuer] = [{ api_key_id: loss.id }, { issuer_id: loss.id }];
  const isApiKey = loss.kind === 'api_key';
  const found = isApiKey
    ? await ifFound(operations['GET /v1/api-keys/:api_key_id'](service, operator, ofApiKey))
    : await ifFound(operations['GET /v1/issuers/:issuer_id'](service, operator, ofIssuer));
  if (!found || found.revoked_at !== null) return undefined;
  const repeat = () =>
    isApiKey
      ? operations['DELETE /v1/api-keys/:api_key_id'](service, operator, ofApiKey)
      : operations['DELETE /v1/issuers/:issuer_id'](service, operator, ofIssuer);
  return { loss, name: found.name, action: `${loss.kind}.revoke`, repeat };
}

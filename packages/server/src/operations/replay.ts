// Repeats, after a restore, what the lost part of a log took away.
import { parseUuid } from '@eaas/protocol';
import {
  type ApiKeyFields,
  type Changed,
  changesOf,
  type Draft,
  keyDraft,
  type KeyFields,
  type KeyStatus,
  type Moment,
  shownTrust,
  tenantDraft,
  timeOrNull,
} from '@eaas/protocol/service';
import { formatTimestamp, parseTimestamp } from '@eaas/protocol/wire';
import type { Service } from '../app/service.ts';
import { insider } from '../state/caller.ts';
import { checked } from '../state/integrity.ts';
import { checkedSubject } from '../state/subjects.ts';
import type { TenantState } from '../state/tenant-view.ts';
import { apiKeyTable, findApiKey } from '../store/api-keys.ts';
import { findIssuer, issuerTable } from '../store/issuers.ts';
import { findKey, keyTable } from '../store/keys.ts';
import type { Sql } from '../store/sql.ts';
import { findSubject } from '../store/subjects.ts';
import { changingApiKey } from './api-keys.ts';
import { changingIssuer } from './issuers.ts';
import { changeKey } from './keys.ts';
import { isObject, type Loss, type Members, newValues, stateOf } from './lost-log.ts';
import { eraseSubject } from './subjects.ts';
import { changeTenant } from './tenants.ts';

/** What a restored tenant still has, although the lost log took it away. */
export interface Undone {
  readonly loss: Loss;
  /** The name of the row, if it has one. */
  readonly name: string | null;
  /** The action that repeats it, or null if only the operator can. */
  readonly action: string | null;
  /** What the change sets. */
  readonly sets: Members;
}

/** Compares what the lost log says with the rows of the tenant. Rows that the restored database never knew are left out. */
export async function undoneBy(
  service: Service,
  tenantId: string,
  losses: readonly Loss[],
): Promise<Undone[]> {
  const state = await stateOf(service, tenantId);
  const at = { time: service.clock.now(), entryId: 0 };
  const undone: Undone[] = [];
  for (const loss of losses) {
    const { name, draft, byHand } = await service.database.run((sql) => judge(sql, state, loss, at));
    if (draft) undone.push({ loss, name, action: draft.action, sets: setsOf(draft) });
    if (Object.keys(byHand).length > 0) undone.push({ loss, name, action: null, sets: byHand });
  }
  return undone;
}

interface Judgement {
  readonly name: string | null;
  readonly draft: Draft | null;
  /** What the lost log says, and no change that only takes away can repeat. */
  readonly byHand: Members;
}

const nothing: Judgement = { name: null, draft: null, byHand: {} };

async function judge(sql: Sql, state: TenantState, loss: Loss, at: Moment): Promise<Judgement> {
  const { secrets, tenant } = state;
  const { tenant_id: tenantId } = tenant;
  if (loss.kind === 'tenant') return { ...nothing, draft: tenantAgain(tenant, loss, at).draft };
  if (loss.kind === 'subject') {
    const found = /^[\da-f]{64}$/.test(loss.id) ? await findSubject(sql, tenantId, loss.id) : undefined;
    const isErased = found !== undefined && checkedSubject(secrets, found).erased_id !== null;
    return { ...nothing, draft: isErased ? null : tenantDraft('subject.erase', {}) };
  }
  const id = parseUuid(loss.id);
  if (id === undefined) return nothing;
  if (loss.kind === 'key') {
    const found = await findKey(sql, tenantId, id);
    if (!found) return nothing;
    const row = checked(secrets, keyTable, found);
    return { name: row.name, draft: keyAgain(row, loss, at).draft, byHand: keyByHand(row, loss) };
  }
  const found =
    loss.kind === 'api_key'
      ? await findApiKey(sql, tenantId, id).then((row) => row && checked(secrets, apiKeyTable, row))
      : await findIssuer(sql, tenantId, id).then((row) => row && checked(secrets, issuerTable, row));
  if (!found) return nothing;
  const trust = 'issuer_id' in found ? shownTrust(found) : {};
  return {
    name: found.name,
    draft: accessAgain(loss.kind, found, loss, at).draft,
    byHand: found.revoked_at === null && !loss.fields['revoked'] ? accessByHand(loss, trust) : {},
  };
}

function setsOf({ metadata }: Draft): Members {
  const { changes, destroy_at, erased } = JSON.parse(metadata) as Members;
  if (changes !== undefined) return newValues(changes);
  return { ...(destroy_at !== undefined && { destroy_at }), ...(erased !== undefined && { erased }) };
}

/** Repeats a change. It does nothing if the row has it already. */
export async function repeat(service: Service, tenantId: string, loss: Loss): Promise<void> {
  const caller = insider(tenantId, 'operator');
  const { kind, id } = loss;
  if (kind === 'tenant') {
    await changeTenant(service, tenantId, (open) => ({
      ...tenantAgain(open.state.tenant, loss, open),
      answer: id,
    }));
  } else if (kind === 'key') {
    await changeKey(service, caller, id, (key, at) => keyAgain(key, loss, at));
  } else if (kind === 'subject') {
    await eraseSubject(service, caller, { subject_id: id, create: true }, { replayed: loss.entryId });
  } else if (kind === 'api_key') {
    const change = changingApiKey((row, at) => accessAgain(kind, row, loss, at));
    await change(service, caller, { api_key_id: id });
  } else {
    const change = changingIssuer((row, at) => accessAgain(kind, row, loss, at));
    await change(service, caller, { issuer_id: id });
  }
}

interface TenantFields {
  readonly envelope_only: boolean;
  readonly rev: number;
}

function tenantAgain<Row extends TenantFields>(
  before: Row,
  { fields, entryId }: Loss,
  at: Moment,
): Changed<Row> {
  if (fields['envelope_only'] !== true || before.envelope_only) return { row: before, draft: null };
  const changes = changesOf(before, { envelope_only: true });
  const metadata = { changes, previous_change: before.rev, replayed: entryId };
  return {
    row: { ...before, envelope_only: true, rev: at.entryId },
    draft: tenantDraft('tenant.update', metadata),
  };
}

const byFinality: readonly KeyStatus[] = ['active', 'disabled', 'pending_destruction', 'destroyed'];

function statusIn({ fields }: Loss) {
  const status = byFinality.find((one) => one === fields['status']) ?? 'active';
  return { status, destroy_at: timeIn(fields['destroy_at']) };
}

function keyAgain<Row extends KeyFields>(before: Row, loss: Loss, at: Moment): Changed<Row> {
  const { status, destroy_at } = statusIn(loss);
  const isEarlier = status === 'pending_destruction' && (destroy_at ?? 0) < (before.destroy_at ?? 0);
  const isFurther = byFinality.indexOf(status) > byFinality.indexOf(before.status);
  if (!isFurther && !(isEarlier && status === before.status)) return { row: before, draft: null };
  const past = { previous_change: before.rev, replayed: loss.entryId };
  if (status === 'disabled') {
    const row = { ...before, status, rev: at.entryId };
    return { row, draft: keyDraft('key.disable', row, past) };
  }
  const isErased = status === 'destroyed';
  const due = destroy_at ?? at.time;
  const ended = isErased && { next_rotation_at: null };
  const row = { ...before, status, destroy_at: due, ...ended, rev: at.entryId };
  const metadata = { destroy_at: formatTimestamp(due), ...(isErased && { erased: true }), ...past };
  return { row, draft: keyDraft('key.destroy', row, metadata) };
}

/** A destruction that the lost log cancelled or postponed is pending again, and ends sooner than anyone expects. */
function keyByHand(row: KeyFields, loss: Loss): Members {
  const { status, destroy_at } = statusIn(loss);
  const isSooner = status === 'pending_destruction' && (row.destroy_at ?? 0) < (destroy_at ?? 0);
  const isCancelled = status === 'active' || status === 'disabled';
  if (row.status !== 'pending_destruction' || !(isSooner || isCancelled)) return {};
  return { status, destroy_at: timeOrNull(destroy_at) };
}

type Access = Pick<
  ApiKeyFields,
  'key_ids' | 'allowed_origins' | 'expires_at' | 'created_at' | 'revoked_at' | 'rev'
> & { readonly permissions: readonly string[] };

/** Revokes or narrows an API key or an issuer. What the lost log widened stays as it is. */
function accessAgain<Row extends Access>(
  kind: 'api_key' | 'issuer',
  before: Row,
  loss: Loss,
  at: Moment,
): Changed<Row> {
  if (before.revoked_at !== null) return { row: before, draft: null };
  const past = { [`${kind}_id`]: loss.id, previous_change: before.rev, replayed: loss.entryId };
  if (loss.fields['revoked'] === true) {
    const row = { ...before, revoked_at: at.time, rev: at.entryId };
    return { row, draft: tenantDraft(`${kind}.revoke`, past) };
  }
  const set = narrowed(before, loss.fields, at.time);
  const changes = changesOf(before, set);
  if (!changes) return { row: before, draft: null };
  const row = { ...before, ...set, rev: at.entryId };
  return { row, draft: tenantDraft(`${kind}.update`, { ...past, changes }) };
}

const lists = ['permissions', 'key_ids', 'allowed_origins'] as const;

/** What remains in both the row and the lost log. If nothing of a list does, the row expires. */
function narrowed(before: Access, fields: Members, time: number): Partial<Access> {
  const set: { permissions?: string[]; key_ids?: string[]; allowed_origins?: string[] } = {};
  let expiresAt = timeIn(fields['expires_at']);
  for (const name of lists) {
    const last = fields[name];
    if (!isTexts(last)) continue;
    const kept = before[name]?.filter((one) => last.includes(one)) ?? last;
    if (kept.length > 0) set[name] = kept;
    else expiresAt = Math.min(expiresAt ?? time, time);
  }
  const isSooner = expiresAt !== null && expiresAt < (before.expires_at ?? Infinity);
  return { ...set, ...(isSooner && { expires_at: expiresAt }) };
}

/** Lists of which the log has only the hash, and trust that changed: narrower or wider, the log does not say. */
function accessByHand({ fields }: Loss, trust: Partial<ReturnType<typeof shownTrust>>): Members {
  const found = Object.entries(fields).filter(([name, value]) => {
    if (lists.some((list) => list === name)) return isObject(value);
    return name in trust && trust[name as keyof typeof trust] !== value;
  });
  return Object.fromEntries(found);
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const timeIn = (text: unknown): number | null =>
  typeof text === 'string' ? (parseTimestamp(text) ?? null) : null;

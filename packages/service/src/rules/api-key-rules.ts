// Decides about API keys: what a new one may do, who may change one, and when the last manager must stay.
// operations/api-keys.ts asks it; plugins whose callers have rights use its checks.
import { parseUuid } from '@eaas/protocol';
import {
  type Input,
  limits,
  parseTimestamp,
  serverSidePermissions,
  tenantWidePermissions,
} from '@eaas/protocol/wire';
import type { View } from '../ledger/decision.ts';
import { matches } from '../ledger/query.ts';
import type { Query, Where } from '../ledger/table.ts';
import { type ApiKeyRow, apiKeys, keys } from '../ledger/tables.ts';
import type { Reach } from './authorize.ts';
import { type Change, changesOf, defined, type Draft, tenantDraft, timeOrNull } from './draft.ts';
import { badRequest, keyNotFound, Refusal } from './refusal.ts';

type Fields = Omit<Input<'PATCH /v1/api-keys/:api_key_id'>, 'api_key_id'>;
type Patch = Change<ApiKeyRow> | undefined;

/**
 * Decides about a new API key: its row and its audit entry. `giver` has the rights of the caller: null for the operator, who
 * has all. `made` is what the token and the caller give. Throws Refusal.
 */
export function newApiKey(
  input: Input<'POST /v1/api-keys'>,
  view: View,
  giver: Reach | null,
  made: Pick<ApiKeyRow, 'tenant_id' | 'api_key_id' | 'token_hash' | 'hint' | 'created_by'>,
): { readonly row: ApiKeyRow; readonly draft: Draft } {
  const { name, permissions } = input;
  const unlimited = { key_ids: null, allowed_origins: null, expires_at: null };
  const reach = { permissions, ...unlimited, ...storedFields(input) };
  requireConsistent(reach);
  requireFuture(reach.expires_at, view.now);
  requireWithin(giver, reach);
  requireKnown(view, reach.key_ids);
  requireRoom(view);
  const created = { created_at: view.now, revoked_at: null, created_id: view.entryId, rev: view.entryId };
  const row = { ...made, ...reach, name, ...created };
  const { api_key_id, key_ids, allowed_origins } = row;
  const expires_at = timeOrNull(row.expires_at);
  const metadata = { api_key_id, name, permissions, key_ids, allowed_origins, expires_at };
  return { row, draft: tenantDraft('api_key.create', metadata) };
}

/** Decides about a change of an API key. Throws Refusal. */
export function patchedApiKey(input: Fields, before: ApiKeyRow, view: View, giver: Reach | null): Patch {
  if (before.revoked_at !== null) {
    throw new Refusal('conflict', 'The API key is revoked and cannot be changed: create another API key.');
  }
  const set = storedFields(input);
  const row = { ...before, ...set };
  requireConsistent(row);
  if (set.expires_at !== before.expires_at) requireFuture(set.expires_at, view.now);
  if (excessOf(row, before)) requireWithin(giver, row);
  requireKnown(view, set.key_ids);
  const changes = changesOf(before, set);
  if (!changes) return undefined;
  if (giver) requireManager(view, before, row);
  // It counts again from now on.
  if (isExpired(before, view.now) && !isExpired(row, view.now)) requireRoom(view);
  return ['api_key.update', set, { changes }];
}

/** Decides about the end of an API key. Throws Refusal. */
export function revokedApiKey(before: ApiKeyRow, view: View, giver: Reach | null): Patch {
  if (before.revoked_at !== null) return undefined;
  const set = { revoked_at: view.now };
  if (giver) requireManager(view, before, { ...before, ...set });
  return ['api_key.revoke', set];
}

/** The fields that an input sets, as rows have them. */
export function storedFields<Given extends Pick<Fields, 'key_ids' | 'expires_at'>>(input: Given) {
  const { key_ids, expires_at } = input;
  return defined({
    ...input,
    key_ids: key_ids && key_ids.map((text) => parseUuid(text) ?? text),
    expires_at: typeof expires_at === 'string' ? (parseTimestamp(expires_at) ?? null) : expires_at,
  });
}

const conflicts = [
  ['key_ids', tenantWidePermissions, 'the permission concerns the whole tenant'],
  ['allowed_origins', serverSidePermissions, 'the permission is not for browsers'],
] as const;

function requireConsistent(reach: Reach): void {
  for (const [limit, excluded, reason] of conflicts) {
    const held = reach[limit] && excluded.find((one) => reach.permissions.includes(one));
    if (held) {
      throw badRequest(`\`permissions\` cannot have \`${held}\` together with \`${limit}\`: ${reason}`);
    }
  }
}

export function requireFuture(expiresAt: number | null | undefined, time: number): void {
  if ((expiresAt ?? Infinity) <= time) throw badRequest('`expires_at` is in the past');
}

export function requireKnown(view: Pick<View, 'find'>, keyIds: readonly string[] | null | undefined): void {
  const isKnown = (id: string) => parseUuid(id) !== undefined && view.find(keys, id) !== null;
  const unknown = keyIds?.findIndex((id) => !isKnown(id)) ?? -1;
  if (unknown >= 0) throw keyNotFound(`key_ids[${unknown}]`);
}

export function requireWithin(giver: Reach | null, reach: Reach): void {
  const excess = giver && excessOf(reach, giver);
  if (!excess) return;
  throw new Refusal('permission_missing', `An API key can grant only rights that it has. ${excess}.`);
}

export function excessOf(reach: Reach, than: Reach): string | undefined {
  const lacking = reach.permissions.find((one) => !than.permissions.includes(one));
  if (lacking) return `\`permissions\`: it lacks \`${lacking}\``;
  if (isBeyond(reach.key_ids, than.key_ids)) return '`key_ids`: it is limited to fewer keys';
  if (isBeyond(reach.allowed_origins, than.allowed_origins)) {
    return '`allowed_origins`: it is limited to fewer origins';
  }
  const isLonger = (reach.expires_at ?? Infinity) > (than.expires_at ?? Infinity);
  return isLonger ? '`expires_at`: it expires earlier' : undefined;
}

const isBeyond = (list: readonly string[] | null, than: readonly string[] | null): boolean =>
  than !== null && !list?.every((one) => than.includes(one));

const isExpired = ({ expires_at }: ApiKeyRow, now: number): boolean => (expires_at ?? Infinity) <= now;

/** Counts API keys that are not revoked. */
const unrevoked = (...where: readonly Where[]): Query<ApiKeyRow> => ({
  table: apiKeys,
  where: [['revoked_at', 'null'], ...where],
  limit: 0,
  counts: true,
});

const minute = 60_000;

/** Counts the API keys that work. One that has just expired counts for a minute, so that the questions stay the same for it. */
export const live = (now: number): readonly Query<ApiKeyRow>[] => [
  unrevoked(['expires_at', 'null']),
  unrevoked(['expires_at', '>=', now - (now % minute)]),
];

function requireRoom(view: Pick<View, 'all' | 'now'>): void {
  const counts = live(view.now).map((query) => view.all(query).total);
  if (counts.reduce((sum, count) => sum + count, 0) < limits.apiKeys) return;
  throw new Refusal(
    'conflict',
    `A tenant has at most ${limits.apiKeys} API keys that are neither revoked nor expired: revoke one first.`,
  );
}

/** Counts the API keys that can manage others for ever. A tenant keeps at least one. */
const managers = unrevoked(['permissions', 'has', 'api_keys.manage'], ['expires_at', 'null']);

/**
 * Throws if the tenant would lose its last API key that manages API keys and does not expire. The operator is exempt,
 * because the operator can create API keys.
 */
function requireManager(view: Pick<View, 'all'>, before: ApiKeyRow, after: ApiKeyRow): void {
  const isManager = (row: ApiKeyRow) => matches(row, managers.where);
  if (!isManager(before) || isManager(after)) return;
  if (view.all(managers).total > 1) return;
  throw new Refusal(
    'conflict',
    'A tenant needs at least one API key that can manage API keys and never expires: create another one before this change.',
  );
}

import { parseUuid } from '../uuid.ts';
import type { Input } from '../wire/endpoints.ts';
import { serverSidePermissions, tenantWidePermissions } from '../wire/permissions.ts';
import { parseTimestamp } from '../wire/timestamp.ts';
import type { Reach } from './authorize.ts';
import { type Changed, changesOf, type Moment } from './changes.ts';
import { defined, type Draft, tenantDraft } from './draft.ts';
import { timeOrNull } from './records.ts';
import { badRequest, keyNotFound, Refusal } from './refusal.ts';

/** What the service stores of an API key, without its token. */
export interface ApiKeyFields extends Reach {
  readonly api_key_id: string;
  readonly name: string;
  /** The last four characters of the API key's token. */
  readonly hint: string;
  readonly created_at: number;
  readonly created_by: string;
  readonly revoked_at: number | null;
  /** The id of the audit entry that records the last change of the API key. */
  readonly rev: number;
}

interface Known {
  /** The rights of the caller. Null for the operator, who has all rights. */
  readonly giver: Reach | null;
  readonly keyIds: ReadonlySet<string>;
  /** The number of API keys that can manage API keys and do not expire, without the changed API key. */
  readonly otherManagers: number;
}

type Fields = Omit<Input<'PATCH /v1/api-keys/:api_key_id'>, 'api_key_id'>;

/** Returns the ids of the keys that an input restricts an API key to. */
export function keyIdsIn({ key_ids }: Pick<Fields, 'key_ids'>): string[] {
  return (key_ids ?? []).flatMap((text) => parseUuid(text) ?? []);
}

/** Decides about a new API key: its row and its audit entry. Throws Refusal. */
export function newApiKey(
  input: Input<'POST /v1/api-keys'>,
  { time, entryId }: Moment,
  known: Omit<Known, 'otherManagers'> & Readonly<Record<'apiKeyId' | 'hint' | 'createdBy', string>>,
): { readonly row: ApiKeyFields; readonly draft: Draft } {
  const { name, permissions } = input;
  const unlimited = { key_ids: null, allowed_origins: null, expires_at: null };
  const reach = { permissions, ...unlimited, ...storedFields(input) };
  requireConsistent(reach);
  requireFuture(reach.expires_at, time);
  requireWithin(known.giver, reach);
  requireKnown(reach.key_ids, known.keyIds);
  const { apiKeyId: api_key_id, hint, createdBy: created_by } = known;
  const created = { created_at: time, created_by, revoked_at: null, rev: entryId };
  const row = { ...reach, api_key_id, name, hint, ...created };
  const { key_ids, allowed_origins } = row;
  const expires_at = timeOrNull(row.expires_at);
  const metadata = { api_key_id, name, permissions, key_ids, allowed_origins, expires_at };
  return { row, draft: tenantDraft('api_key.create', metadata) };
}

/** Decides about a change of an API key. Throws Refusal. */
export function patchedApiKey<Row extends ApiKeyFields>(
  before: Row,
  input: Fields,
  at: Moment,
  known: Known,
): Changed<Row> {
  if (before.revoked_at !== null) {
    throw new Refusal('conflict', 'The API key is revoked and cannot be changed: create another API key.');
  }
  const set = storedFields(input);
  const row = { ...before, ...set, rev: at.entryId };
  requireConsistent(row);
  if (set.expires_at !== undefined && set.expires_at !== before.expires_at)
    requireFuture(set.expires_at, at.time);
  if (excessOf(row, before)) requireWithin(known.giver, row);
  if (set.key_ids) requireKnown(set.key_ids, known.keyIds);
  const changes = changesOf(before, set);
  if (!changes) return { row: before, draft: null };
  requireManager(before, row, known);
  const metadata = { api_key_id: row.api_key_id, changes, previous_change: before.rev };
  return { row, draft: tenantDraft('api_key.update', metadata) };
}

/** Decides about the end of an API key. Throws Refusal. */
export function revokedApiKey<Row extends ApiKeyFields>(
  before: Row,
  at: Moment,
  known: Omit<Known, 'keyIds'>,
): Changed<Row> {
  if (before.revoked_at !== null) return { row: before, draft: null };
  const row = { ...before, revoked_at: at.time, rev: at.entryId };
  requireManager(before, row, known);
  const metadata = { api_key_id: row.api_key_id, previous_change: before.rev };
  return { row, draft: tenantDraft('api_key.revoke', metadata) };
}

/** Whether an API key can manage others for ever. A tenant keeps at least one. */
export function isPermanentManager({ permissions, expires_at, revoked_at }: ApiKeyFields): boolean {
  return permissions.includes('api_keys.manage') && expires_at === null && revoked_at === null;
}

function storedFields({ name, permissions, key_ids, allowed_origins, expires_at }: Fields) {
  return defined({
    name,
    permissions,
    key_ids: key_ids && key_ids.map((text) => parseUuid(text) ?? text),
    allowed_origins,
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

export function requireFuture(expiresAt: number | null, time: number): void {
  if (expiresAt !== null && expiresAt <= time) throw badRequest('`expires_at` is in the past');
}

export function requireKnown(keyIds: readonly string[] | null, known: ReadonlySet<string>): void {
  const unknown = keyIds?.findIndex((id) => !known.has(id)) ?? -1;
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

/**
 * Throws if the tenant would lose its last API key that manages API keys and does not expire. The operator is exempt,
 * because the operator can create API keys.
 */
function requireManager(
  before: ApiKeyFields,
  after: ApiKeyFields,
  { giver, otherManagers }: Omit<Known, 'keyIds'>,
): void {
  if (!giver || otherManagers > 0 || !isPermanentManager(before) || isPermanentManager(after)) return;
  throw new Refusal(
    'conflict',
    'A tenant needs at least one API key that can manage API keys and never expires: create another one before this change.',
  );
}

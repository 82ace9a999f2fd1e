import { parseUuid } from '@eaas/protocol';
import {
  type Permission,
  parseTimestamp,
  serverSidePermissions,
  tenantWidePermissions,
} from '@eaas/protocol/wire';
import { keyNotFound, Refusal } from '../refusal.ts';
import type { Change } from '../state/change.ts';
import type { ApiKeyRow } from '../store/api-keys.ts';
import { findKeys } from '../store/keys.ts';

/** What an API key may do, and for whom. */
export type Reach = Pick<ApiKeyRow, 'permissions' | 'key_ids' | 'allowed_origins' | 'expires_at'>;

/** What of a reach a request sets, as the wire spells it. */
export interface RequestedReach {
  readonly permissions?: readonly Permission[] | undefined;
  readonly key_ids?: readonly string[] | null | undefined;
  readonly allowed_origins?: readonly string[] | null | undefined;
  readonly expires_at?: string | null | undefined;
}

/** The fields that a request sets, as they are stored. */
export function storedReach(request: RequestedReach): Partial<Reach> {
  const { permissions, key_ids, allowed_origins, expires_at } = request;
  return {
    ...(permissions && { permissions }),
    ...(key_ids !== undefined && { key_ids: key_ids && key_ids.map((text) => parseUuid(text) ?? text) }),
    ...(allowed_origins !== undefined && { allowed_origins }),
    ...(expires_at !== undefined && {
      expires_at: expires_at === null ? null : (parseTimestamp(expires_at) ?? null),
    }),
  };
}

/** Throws unless the whole is allowed (400), what is set lies within the giver's own (403), and its keys exist (404). */
export async function requireAllowedReach(
  { tx, apiKey, state, time }: Change,
  whole: Reach,
  set: Partial<Reach>,
): Promise<void> {
  requireConsistent(whole, set, time);
  if (apiKey) requireWithin(apiKey, set);
  if (!set.key_ids) return;
  const found = await findKeys(
    tx,
    state.tenant.tenant_id,
    set.key_ids.map((id) => parseUuid(id) ?? nobody),
  );
  if (found.length < set.key_ids.length) throw keyNotFound();
}

const nobody = '00000000-0000-0000-0000-000000000000';

function requireConsistent(whole: Reach, set: Partial<Reach>, time: number): void {
  const held = (permissions: readonly Permission[]) =>
    permissions.find((one) => whole.permissions.includes(one));
  const tenantWide = whole.key_ids && held(tenantWidePermissions);
  if (tenantWide) {
    throw badRequest(
      `\`permissions\` cannot have \`${tenantWide}\` together with \`key_ids\`: it concerns the whole tenant`,
    );
  }
  const serverSide = whole.allowed_origins && held(serverSidePermissions);
  if (serverSide) {
    throw badRequest(
      `\`permissions\` cannot have \`${serverSide}\` together with \`allowed_origins\`: it is not for browsers`,
    );
  }
  if (set.expires_at && set.expires_at <= time) throw badRequest('`expires_at` is in the past');
}

/** Nobody gives what they lack. */
function requireWithin(giver: ApiKeyRow, set: Partial<Reach>): void {
  const lacking = set.permissions?.find((one) => !giver.permissions.includes(one));
  if (lacking) throw beyond(`\`permissions\`: this API key does not have \`${lacking}\` itself`);
  const outside =
    set.key_ids !== undefined && giver.key_ids && !set.key_ids?.every((id) => giver.key_ids?.includes(id));
  if (outside) throw beyond('`key_ids`: this API key is limited to fewer keys itself');
  const { expires_at } = set;
  const longer = giver.expires_at !== null && (expires_at === null || (expires_at ?? 0) > giver.expires_at);
  if (expires_at !== undefined && longer) throw beyond('`expires_at`: this API key expires earlier itself');
}

function badRequest(sentence: string): Refusal {
  return new Refusal('bad_request', `${sentence}.`);
}

function beyond(sentence: string): Refusal {
  return new Refusal('permission_missing', `Nobody gives what they lack. ${sentence}.`);
}

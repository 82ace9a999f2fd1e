import { parseUuid } from '@eaas/protocol';
import {
  type Input,
  type Permission,
  parseTimestamp,
  serverSidePermissions,
  tenantWidePermissions,
} from '@eaas/protocol/wire';
import type { Call } from './call.ts';
import { keyNotFound, Refusal } from './refusal.ts';
import type { ApiKey, Reach } from './tenant.ts';

/** The fields of a reach that a request sets, as they are kept. */
export function keptReach(
  request: Omit<Input<'PATCH /v1/api-keys/:api_key_id'>, 'api_key_id'>,
): Partial<Reach> {
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
export function requireAllowedReach({ tenant, apiKey, time }: Call, whole: Reach, set: Partial<Reach>): void {
  requireConsistent(whole, set, time);
  if (apiKey) requireWithin(apiKey, set);
  if (!set.key_ids?.every((id) => tenant.keys.has(id)) && set.key_ids) throw keyNotFound();
}

function requireConsistent(whole: Reach, set: Partial<Reach>, time: number): void {
  const refuseAny = (permissions: readonly Permission[], beside: string) => {
    const held = permissions.find((one) => whole.permissions.includes(one));
    if (held === undefined) return;
    throw new Refusal('bad_request', `\`permissions\` cannot have \`${held}\` together with \`${beside}\`.`);
  };
  if (whole.key_ids) refuseAny(tenantWidePermissions, 'key_ids');
  if (whole.allowed_origins) refuseAny(serverSidePermissions, 'allowed_origins');
  if (set.expires_at && set.expires_at <= time) {
    throw new Refusal('bad_request', '`expires_at` is in the past.');
  }
}

/** Nobody gives what they lack. */
function requireWithin(giver: ApiKey, { permissions, key_ids, expires_at }: Partial<Reach>): void {
  const within = [
    permissions?.every((one) => giver.permissions.includes(one)) ?? true,
    !giver.key_ids || key_ids === undefined || isSubset(key_ids, giver.key_ids),
    giver.expires_at === null ||
      expires_at === undefined ||
      (expires_at !== null && expires_at <= giver.expires_at),
  ];
  const beyond = ['permissions', 'key_ids', 'expires_at'].find((_, index) => !within[index]);
  if (beyond === undefined) return;
  throw new Refusal(
    'permission_missing',
    `Nobody gives what they lack: \`${beyond}\` goes beyond what this API key has.`,
  );
}

/** Null is all of them. */
function isSubset(ids: readonly string[] | null, among: readonly string[]): boolean {
  return ids !== null && ids.every((id) => among.includes(id));
}

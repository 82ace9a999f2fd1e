// Who acts, and whether a caller may make a call, by the rights that its rows give it now.
import { parseUuid, toUtf8 } from '@eaas/protocol';
import { toHex } from '@eaas/protocol/internal';
import { type Endpoint, formatTimestamp } from '@eaas/protocol/wire';
import { hmac } from '#platform';
import type { View } from '../ledger/decision.ts';
import type { ApiKeyRow, TenantRow } from '../ledger/tables.ts';
import { refusalOutcome, tenantDraft } from './draft.ts';
import { keyNotFound, Refusal, unauthorized } from './refusal.ts';

/**
 * The rights of an API key. A null list means no limit, and null in `expires_at` means that the API key does not
 * expire.
 */
export type Reach = Pick<ApiKeyRow, 'permissions' | 'key_ids' | 'allowed_origins' | 'expires_at'>;

/** Who calls, with the rights that they have now. */
export interface Holder extends Reach {
  readonly revoked_at: number | null;
  /** Whom the caller's token names. Absent for an API key. */
  readonly signIn?: SignIn;
}

/** What a token of an app's sign-in, and its issuer, say of who acts. */
export interface SignIn {
  /** People may open only their own data, unless `anySubject`. What workloads may do is up to their permissions, as for an API key. */
  readonly kind: 'people' | 'workload';
  /** The issuer's prefix and the token's claim: whose data a user's own is. */
  readonly subject: string;
  /** The id as the log shows it. */
  readonly id: string;
  /** Whether the user may open the data of every subject, as staff. */
  readonly anySubject: boolean;
  /** Whether the user may see the entries about the own data. */
  readonly ownAudit: boolean;
  /** Whether the token has the claims that the issuer requires. */
  readonly meetsRequired: boolean;
}

/** The user who calls by a token, if somebody does. */
export const userOf = (holder: Holder | null): SignIn | undefined =>
  holder?.signIn?.kind === 'people' ? holder.signIn : undefined;

/** What entries say about the caller, beside the actor. */
export function whoActs(holder: Holder | null): Readonly<Record<string, string>> {
  if (!holder?.signIn) return {};
  const { kind, id } = holder.signIn;
  return { [kind === 'people' ? 'user' : 'workload']: id };
}

/** Returns the id of a person as the API shows it: 64 hexadecimal characters. */
export function personId({ secrets }: Pick<View, 'secrets'>, kind: 'subjects' | 'users', name: string) {
  return toHex(hmac(secrets.derive(kind), toUtf8(name)));
}

/** The part of an id that the log has. Only the entry of an erasure has all of it. */
export const shortId = (id: string): string => id.slice(0, 32);

/** What a request asks for: its endpoint and its origin. */
export interface RequestedCall {
  readonly endpoint: Pick<Endpoint, 'permission' | 'serverMode' | 'unlimited' | 'forUsers'>;
  readonly origin: string | undefined;
}

/** Returns the token of an `authorization` header, if it has one. */
export function bearerToken(authorization: string | null | undefined): string {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';
}

type Judging = Pick<View, 'now'> & { readonly tenant: Pick<TenantRow, 'envelope_only'> };

/** Throws Refusal unless the caller may make the call. */
export function authorize(holder: Holder, { endpoint, origin }: RequestedCall, { tenant, now }: Judging) {
  const { permission, serverMode, unlimited, forUsers } = endpoint;
  const { signIn, revoked_at, expires_at } = holder;
  if (revoked_at !== null || (expires_at ?? Infinity) <= now) {
    const what = revoked_at === null ? 'expired' : 'was revoked';
    const since = formatTimestamp(revoked_at ?? expires_at ?? 0);
    throw signIn ? unauthorized() : unauthorized(`This API key ${what} at ${since}`);
  }
  if (origin !== undefined && !holder.allowed_origins?.includes(origin)) {
    const detail = 'This API key refuses requests from this origin: add the origin to its `allowed_origins`.';
    throw new Refusal('origin_refused', detail);
  }
  if (signIn && !signIn.meetsRequired) {
    throw new Refusal('permission_missing', 'The token does not have the claims that the issuer requires.');
  }
  const user = userOf(holder);
  if (user && !user.anySubject && !forUsers) {
    const detail = 'Users can call only what encrypts and decrypts their own data.';
    throw new Refusal('permission_missing', detail);
  }
  // Users see their own log without the permission to see that of all.
  const isOwnLog = permission === 'audit.read' && forUsers === true && user?.ownAudit === true;
  if (!isOwnLog && !holder.permissions.includes(permission)) {
    const detail = `This call needs an API key with the permission \`${permission}\`.`;
    throw new Refusal('permission_missing', detail);
  }
  if (unlimited) requireUnlimited(holder);
  if (serverMode && tenant.envelope_only) throw envelopeOnlyRefused(holder);
}

function envelopeOnlyRefused(holder: Holder): Refusal {
  const detail =
    'E_ENVELOPE_ONLY: this tenant must encrypt and decrypt locally. ' +
    'Use `encrypt` and `decrypt` of the SDK, or wrap and unwrap data keys. Only the operator can open server mode.';
  const refusal: Refusal = new Refusal('envelope_only', detail, {
    entry: () => tenantDraft('envelope_only.refused', { ...refusalOutcome(refusal), ...whoActs(holder) }),
  });
  return refusal;
}

/** Throws Refusal if the API key is limited to some keys. The operator has no API key, and no limit. */
export function requireUnlimited(apiKey: Pick<Reach, 'key_ids'> | null): void {
  if (!apiKey?.key_ids) return;
  const detail =
    'This API key is limited to the keys in its `key_ids`: this call needs an API key without that limit.';
  throw new Refusal('permission_missing', detail);
}

/** Parses a key id. Throws Refusal `not_found` for a key that the API key does not reach. */
export function requireKeyId(apiKey: Pick<Reach, 'key_ids'> | null, text: string): string {
  const keyId = parseUuid(text);
  if (!keyId || (apiKey?.key_ids && !apiKey.key_ids.includes(keyId))) throw keyNotFound();
  return keyId;
}

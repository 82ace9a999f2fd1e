// Whether a caller may make a call, by the rights that its rows give it now.
import { parseUuid } from '@eaas/protocol';
import { type Endpoint, formatTimestamp } from '@eaas/protocol/wire';
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
  /** What the plugin that knows the caller adds. Absent for an API key. */
  readonly beyond?: Beyond;
}

/** Rights and limits that are no permissions. */
export interface Beyond {
  /** Why the caller may not make the call, though its permissions might allow it. */
  refuse(endpoint: RequestedCall['endpoint']): Refusal | undefined;
  /** Whether the caller may make the call without the permission. */
  allows(endpoint: RequestedCall['endpoint']): boolean;
  /** What entries say about the caller, beside the actor. */
  readonly logged: Readonly<Record<string, unknown>>;
}

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
  const { permission, serverMode, unlimited } = endpoint;
  const { beyond, revoked_at, expires_at } = holder;
  if (revoked_at !== null || (expires_at ?? Infinity) <= now) {
    const what = revoked_at === null ? 'expired' : 'was revoked';
    const since = formatTimestamp(revoked_at ?? expires_at ?? 0);
    throw beyond ? unauthorized() : unauthorized(`This API key ${what} at ${since}`);
  }
  if (origin !== undefined && !holder.allowed_origins?.includes(origin)) {
    const detail = 'This API key refuses requests from this origin: add the origin to its `allowed_origins`.';
    throw new Refusal('origin_refused', detail);
  }
  const refusal = beyond?.refuse(endpoint);
  if (refusal) throw refusal;
  if (!beyond?.allows(endpoint) && !holder.permissions.includes(permission)) {
    const detail = `This call needs an API key with the permission \`${permission}\`.`;
    throw new Refusal('permission_missing', detail);
  }
  if (unlimited) requireUnlimited(holder);
  if (serverMode && tenant.envelope_only) throw envelopeOnlyRefused(beyond?.logged);
}

function envelopeOnlyRefused(logged: Beyond['logged'] = {}): Refusal {
  const detail =
    'E_ENVELOPE_ONLY: this tenant must encrypt and decrypt locally. ' +
    'Use `encrypt` and `decrypt` of the SDK, or wrap and unwrap data keys. Only the operator can open server mode.';
  const refusal: Refusal = new Refusal('envelope_only', detail, {
    entry: () => tenantDraft('envelope_only.refused', { ...refusalOutcome(refusal), ...logged }),
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

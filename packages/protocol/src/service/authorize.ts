import { parseUuid } from '../uuid.ts';
import type { Endpoint } from '../wire/endpoint.ts';
import type { Permission } from '../wire/permissions.ts';
import { formatTimestamp } from '../wire/timestamp.ts';
import { keyNotFound, Refusal, unauthorized } from './refusal.ts';

/**
 * The rights of an API key. A null list means no limit, and null in `expires_at` means that the API key does not
 * expire.
 */
export interface Reach {
  readonly permissions: readonly Permission[];
  readonly key_ids: readonly string[] | null;
  readonly allowed_origins: readonly string[] | null;
  readonly expires_at: number | null;
}

/** A user of an app's sign-in, whom a token names. */
export interface SignIn {
  /** Whose data the user's own is: the issuer's prefix and the token's claim. */
  readonly subject: string;
  /** Whether the user may open the data of every subject, as staff. */
  readonly anySubject: boolean;
  /** Whether the user may see the entries about the own data. */
  readonly ownAudit: boolean;
  /** Whether the token has the claims that the issuer requires. */
  readonly meetsRequired: boolean;
}

/** Who calls: an API key, or a user whose token an issuer accepts. */
export interface Holder extends Reach {
  readonly revoked_at: number | null;
  readonly signIn?: SignIn;
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

/** Throws Refusal unless the API key or the user may make the call. */
export function authorize(
  apiKey: Holder,
  { endpoint: { permission, serverMode, unlimited, forUsers }, origin }: RequestedCall,
  { envelopeOnly, time }: { readonly envelopeOnly: boolean; readonly time: number },
): void {
  const { signIn, revoked_at, expires_at } = apiKey;
  if (revoked_at !== null || (expires_at ?? Infinity) <= time) {
    const what = revoked_at === null ? 'expired' : 'was revoked';
    const since = formatTimestamp(revoked_at ?? expires_at ?? 0);
    throw signIn ? unauthorized() : unauthorized(`This API key ${what} at ${since}`);
  }
  if (origin !== undefined && !apiKey.allowed_origins?.includes(origin)) {
    const detail = 'This API key refuses requests from this origin: add the origin to its `allowed_origins`.';
    throw new Refusal('origin_refused', detail);
  }
  if (signIn && !signIn.meetsRequired) {
    throw new Refusal('permission_missing', 'The token does not have the claims that the issuer requires.');
  }
  if (signIn && !signIn.anySubject && !forUsers) {
    throw new Refusal('permission_missing', 'Users can call only what encrypts and decrypts their own data.');
  }
  const isOwnLog = permission === 'audit.read' && forUsers && signIn?.ownAudit;
  if (!isOwnLog && !apiKey.permissions.includes(permission)) {
    const detail = `This call needs an API key with the permission \`${permission}\`.`;
    throw new Refusal('permission_missing', detail);
  }
  if (unlimited) requireUnlimited(apiKey);
  if (serverMode && envelopeOnly) {
    throw new Refusal(
      'envelope_only',
      'E_ENVELOPE_ONLY: this tenant must encrypt and decrypt locally. ' +
        'Use `encrypt` and `decrypt` of the SDK, or wrap and unwrap data keys. Only the operator can open server mode.',
    );
  }
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

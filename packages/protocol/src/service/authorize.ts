import { parseUuid } from '../uuid.ts';
import type { Endpoint } from '../wire/endpoint.ts';
import type { Permission } from '../wire/permissions.ts';
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

/** What a request asks for: its endpoint and its origin. */
export interface RequestedCall {
  readonly endpoint: Pick<Endpoint, 'permission' | 'serverMode' | 'unlimited'>;
  readonly origin: string | undefined;
}

/** Returns the token of an `authorization` header, if it has one. */
export function bearerToken(authorization: string | null | undefined): string {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';
}

/** Throws Refusal unless the API key may make the call. */
export function authorize(
  apiKey: Reach & { readonly revoked_at: number | null },
  { endpoint: { permission, serverMode, unlimited }, origin }: RequestedCall,
  { envelopeOnly, time }: { readonly envelopeOnly: boolean; readonly time: number },
): void {
  if (apiKey.revoked_at !== null || (apiKey.expires_at ?? Infinity) <= time) throw unauthorized();
  if (origin !== undefined && !apiKey.allowed_origins?.includes(origin)) {
    const detail = 'This API key refuses requests from this origin: add the origin to its `allowed_origins`.';
    throw new Refusal('origin_refused', detail);
  }
  if (!apiKey.permissions.includes(permission)) {
    const detail = `This call needs an API key with the permission \`${permission}\`.`;
    throw new Refusal('permission_missing', detail);
  }
  if (unlimited && apiKey.key_ids) {
    const detail =
      'This API key is limited to the keys in its `key_ids`: this call needs an API key without that limit.';
    throw new Refusal('permission_missing', detail);
  }
  if (serverMode && envelopeOnly) {
    throw new Refusal(
      'envelope_only',
      'E_ENVELOPE_ONLY: this tenant must encrypt and decrypt locally. ' +
        'Use the SDK, or wrap and unwrap data keys with /v1/keys/:id/wrap and /unwrap. To use server mode, ask support.',
    );
  }
}

/** Parses a key id. Throws Refusal `not_found` for a key that the API key does not reach. */
export function requireKeyId(apiKey: Pick<Reach, 'key_ids'> | null, text: string): string {
  const keyId = parseUuid(text);
  if (!keyId || (apiKey?.key_ids && !apiKey.key_ids.includes(keyId))) throw keyNotFound();
  return keyId;
}

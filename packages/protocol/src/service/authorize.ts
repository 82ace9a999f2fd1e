import { parseUuid } from '../uuid.ts';
import type { Permission } from '../wire/permissions.ts';
import { keyNotFound, Refusal, unauthorized } from './refusal.ts';

/** The permissions of an API key and their limits. A null list means no limit. Times are milliseconds since 1970. */
export interface Reach {
  readonly permissions: readonly Permission[];
  readonly key_ids: readonly string[] | null;
  readonly allowed_origins: readonly string[] | null;
  readonly expires_at: number | null;
}

/** The facts about a request that are known before the server reads the body. */
export interface Asked {
  readonly permission: Permission;
  /** Whether the service refuses the request if the tenant is envelope-only. */
  readonly serverMode: boolean;
  readonly origin: string | undefined;
}

export function bearerToken(authorization: string | null | undefined): string {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';
}

/** Checks the API key of a request. Throws 401 for an invalid API key, and then 403 for missing rights. */
export function authorize(
  apiKey: Reach & { readonly revoked_at: number | null },
  { permission, serverMode, origin }: Asked,
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
  if (serverMode && envelopeOnly) {
    throw new Refusal(
      'envelope_only',
      'E_ENVELOPE_ONLY: this tenant must encrypt and decrypt locally. ' +
        'Use the SDK, or wrap and unwrap data keys with /v1/keys/:id/wrap and /unwrap. To use server mode, ask support.',
    );
  }
}

/** Returns a key id in lower case. Throws 404 unless the id is a UUID that the API key can use. */
export function requireKeyId(apiKey: Pick<Reach, 'key_ids'> | null, text: string): string {
  const keyId = parseUuid(text);
  if (!keyId || (apiKey?.key_ids && !apiKey.key_ids.includes(keyId))) throw keyNotFound();
  return keyId;
}

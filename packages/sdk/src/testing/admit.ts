import { type Endpoint } from '@eaas/protocol/wire';
import { isValid } from './api-keys.ts';
import { type Call, callBy, record, tenantDraft } from './call.ts';
import { Refusal } from './refusal.ts';
import type { ApiKey, Tenant } from './tenant.ts';

const minute = 60_000;

/**
 * Lets a request in, or throws: 401, 403 for the origin, the permission or, recorded, the envelope-only tenant. Reads
 * no body.
 */
export function admit(tenant: Tenant, endpoint: Endpoint, headers: Headers): Call {
  const known = findApiKey(tenant, headers);
  if (!known) throw unauthorized();
  const call = callBy(tenant, known);
  if (!isValid(known, call.time)) throw unauthorized();
  const origin = headers.get('origin');
  if (origin !== null && !known.allowed_origins?.includes(origin)) {
    throw new Refusal('origin_refused', 'List the origin in the `allowed_origins` of this API key.');
  }
  const { permission, serverMode } = endpoint;
  if (!known.permissions.includes(permission)) {
    throw new Refusal(
      'permission_missing',
      `This call needs an API key with the permission \`${permission}\`.`,
    );
  }
  if (serverMode && tenant.envelope_only) {
    const refusal = new Refusal(
      'envelope_only',
      'E_ENVELOPE_ONLY: this tenant encrypts locally: wrap and unwrap data keys, as the SDK does.',
    );
    record(call, tenantDraft('envelope_only.refused', { outcome: 'refused', code: refusal.code }));
    throw refusal;
  }
  return call;
}

/** One text whatever the cause. */
function unauthorized(): Refusal {
  return new Refusal('unauthorized', 'Send a valid API key as `Authorization: Bearer eaas_sk_…`.');
}

/** Remembers when an API key was last used, to the minute. */
export function noteUse(tenant: Tenant, headers: Headers): void {
  const known = findApiKey(tenant, headers);
  const last_used_at = Math.floor(tenant.clock() / minute) * minute;
  if (known) tenant.apiKeys.set(known.api_key_id, { ...known, last_used_at });
}

function findApiKey({ apiKeys }: Tenant, headers: Headers): ApiKey | undefined {
  const token = /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1];
  return Array.from(apiKeys.values()).find((apiKey) => apiKey.token === token);
}

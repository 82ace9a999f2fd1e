import type { Caller } from '../caller.ts';
import { Refusal } from '../refusal.ts';
import type { ApiKeyRow } from '../store/api-keys.ts';
import type { TenantState } from './tenant-state.ts';

/** One text whatever the cause, so that it tells nothing about which tokens exist. */
export const unauthorized = (): Refusal =>
  new Refusal('unauthorized', 'Send a valid API key as `Authorization: Bearer eaas_sk_…`.');

/** Judges an API key's request by a state and at a time, in the order of the contract. Throws the first Refusal. */
export function authorize(state: TenantState, apiKey: ApiKeyRow, caller: Caller, time: number): void {
  const { credential } = caller;
  if (!credential) return;
  const expired = apiKey.expires_at !== null && apiKey.expires_at <= time;
  if (apiKey.revoked_at !== null || expired) throw unauthorized();
  const { origin, permission, serverMode } = credential;
  if (origin !== undefined && !apiKey.allowed_origins?.includes(origin)) {
    throw new Refusal(
      'origin_refused',
      'This API key is not for browsers of this origin: list the origin in its `allowed_origins`.',
    );
  }
  if (!apiKey.permissions.includes(permission)) {
    throw new Refusal(
      'permission_missing',
      `This call needs an API key with the permission \`${permission}\`.`,
    );
  }
  if (serverMode && state.tenant.envelope_only) {
    throw new Refusal(
      'envelope_only',
      'E_ENVELOPE_ONLY: this tenant encrypts locally: wrap and unwrap data keys with /v1/keys/:id/wrap and /unwrap, ' +
        'as the SDK does. Server mode is opened on request to support.',
    );
  }
}

import { parseUuid } from '@eaas/protocol';
import type { Call } from './call.ts';
import { keyNotFound, Refusal } from './refusal.ts';
import type { ApiKey, Key, KeyStatus } from './tenant.ts';

/** The key's id as it is kept, if it is one and within the API key's reach. Throws 404. */
export function requireKeyId(apiKey: ApiKey | null, text: string): string {
  const keyId = parseUuid(text);
  if (!keyId || (apiKey?.key_ids && !apiKey.key_ids.includes(keyId))) throw keyNotFound();
  return keyId;
}

/** The key of this id. Throws 404. */
export function requireKey({ tenant, apiKey }: Call, text: string): Key {
  const key = tenant.keys.get(requireKeyId(apiKey, text));
  if (!key) throw keyNotFound();
  return key;
}

/** The refusal of an operation that the key's status does not allow; undefined where it does. */
export function refusedByStatus({ status }: Key, ...allowed: readonly KeyStatus[]): Refusal | undefined {
  if (allowed.includes(status)) return undefined;
  const advice: Record<KeyStatus, string> = {
    active: 'disable it first',
    disabled: 'enable it first with POST /v1/keys/:id/enable',
    pending_destruction: 'restore it first with POST /v1/keys/:id/restore',
    destroyed: 'what it sealed is gone for good',
  };
  const needs = allowed.join(' or ');
  return new Refusal('key_state', `The key is ${status}, and this call needs ${needs}: ${advice[status]}.`);
}

/** Throws 409 unless the key's status allows the operation. */
export function requireStatus(key: Key, ...allowed: readonly KeyStatus[]): void {
  const refusal = refusedByStatus(key, ...allowed);
  if (refusal) throw refusal;
}

import { parseUuid } from '@eaas/protocol';
import { keyNotFound, Refusal } from '../refusal.ts';
import type { Service } from '../service.ts';
import type { Facts } from '../state/decide.ts';
import { loadKeys } from '../state/load-keys.ts';
import type { KeyMaterial } from '../state/tenant-state.ts';
import type { ApiKeyRow } from '../store/api-keys.ts';
import type { KeyRow, KeyStatus } from '../store/keys.ts';

/** The key's id as stored, if it is one and within the API key's reach. Throws 404. */
export function requireKeyId(apiKey: ApiKeyRow | null, text: string): string {
  const keyId = parseUuid(text);
  if (!keyId || (apiKey?.key_ids && !apiKey.key_ids.includes(keyId))) throw keyNotFound();
  return keyId;
}

/** The key with its newest version, and another where one is named. Throws 404. */
export async function requireKey(
  service: Service,
  { state, apiKey }: Facts,
  text: string,
  keyVersion?: number,
): Promise<KeyMaterial> {
  const keyId = requireKeyId(apiKey, text);
  const keys = await loadKeys(service.tenants, state, [{ keyId }, { keyId, keyVersion }]);
  const key = keys.get(keyId);
  if (!key) throw keyNotFound();
  return key;
}

/** The refusal of an operation that the key's status does not allow; undefined where it does. */
export function refusedByStatus(row: KeyRow, ...allowed: readonly KeyStatus[]): Refusal | undefined {
  if (allowed.includes(row.status)) return undefined;
  const advice: Record<KeyStatus, string> = {
    active: 'disable it first',
    disabled: 'enable it first with POST /v1/keys/:id/enable',
    pending_destruction: 'restore it first with POST /v1/keys/:id/restore',
    destroyed: 'what it sealed is gone for good',
  };
  return new Refusal(
    'key_state',
    `The key is ${row.status}, and this call needs ${allowed.join(' or ')}: ${advice[row.status]}.`,
  );
}

export function requireStatus(row: KeyRow, ...allowed: readonly KeyStatus[]): void {
  const refusal = refusedByStatus(row, ...allowed);
  if (refusal) throw refusal;
}

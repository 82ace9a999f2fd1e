import type { Output } from '../wire/endpoints.ts';
import { type KeyFields, requireStatus } from './key-rules.ts';
import { badRequest } from './refusal.ts';

type PublicKeys = Output<'GET /v1/keys/:key_id/public-key'>;

export function requireElements<Element>(read: readonly Element[] | number): readonly Element[] {
  if (typeof read !== 'number') return read;
  throw badRequest(`\`elements[${read}]\` is not a compressed point on P-256: 33 bytes in canonical base64`);
}

export function publicKeysRule(
  key: KeyFields,
  ofKey: () => Pick<PublicKeys, 'intake_public_key' | 'hash_public_key'>,
): PublicKeys {
  requireStatus(key, 'active');
  return { key_id: key.key_id, key_version: key.key_version, ...ofKey() };
}

import { toBase64 } from '@eaas/protocol/base64';
import { finish, requireElements, requireStatus } from '@eaas/protocol/service';
import { intakePublicKeyOf } from './key-crypto.ts';
import { type TenantCall, type Key, type Operations, requireKey } from './tenant.ts';

// The code for blind hashes is loaded on demand, because most tests do not use blind hashes.
const load = () => import('@eaas/protocol/blind-hash');
const loadCurve = () => import('#curve');

export const blindHashOperations = {
  'POST /v1/hash/blind': async (call, { key_id, elements: texts }) => {
    const { evaluate, readElements } = await load();
    const elements = requireElements(finish(readElements(texts)));
    const key = requireKey(call, key_id);
    requireStatus(key.row, 'active');
    const evaluation = finish(evaluate(await blindHashKeyOf(call, key), elements));
    return { key_id: key.row.key_id, ...evaluation };
  },
  'GET /v1/keys/:key_id/public-key': async (call, { key_id }) => {
    const key = requireKey(call, key_id);
    requireStatus(key.row, 'active');
    const { publicKey } = await blindHashKeyOf(call, key);
    return {
      key_id: key.row.key_id,
      key_version: key.row.key_version,
      intake_public_key: intakePublicKeyOf(call.tenant, key),
      hash_public_key: toBase64(publicKey.bytes),
    };
  },
} satisfies Partial<Operations>;

async function blindHashKeyOf({ tenant }: TenantCall, { row, hashKey }: Key) {
  if (!hashKey) throw new Error(`the active key ${row.key_id} must have a secret for hashes (got none)`);
  const [{ deriveBlindHashKey }, { platformCurve }] = await Promise.all([load(), loadCurve()]);
  return deriveBlindHashKey(platformCurve, hashKey, tenant.tenant_id, row.key_id);
}

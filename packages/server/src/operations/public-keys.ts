import { toBase64 } from '@eaas/protocol/base64';
import { requireStatus } from '@eaas/protocol/service';
import type { Input, Output } from '@eaas/protocol/wire';
import type { Caller } from '../state/caller.ts';
import type { Service } from '../app/service.ts';
import { decideRead } from '../state/decide.ts';
import { blindHashKeyOf } from './blind-hash.ts';
import { intakePublicKeyOf } from './intake.ts';
import { requireKey } from './key-crypto.ts';

export function publicKeys(
  service: Service,
  caller: Caller,
  { key_id }: Input<'GET /v1/keys/:key_id/public-key'>,
): Promise<Output<'GET /v1/keys/:key_id/public-key'>> {
  return decideRead(service, caller, async (facts) => {
    const key = await requireKey(service, facts, key_id);
    requireStatus(key.row, 'active');
    const derive = () => ({
      key_id: key.row.key_id,
      key_version: key.row.key_version,
      intake_public_key: intakePublicKeyOf(key),
      hash_public_key: toBase64(blindHashKeyOf(key).publicKey.bytes),
    });
    const answer = await service.admission.turns.call(caller.tenantId, derive, caller);
    service.tenants.remembered.keepKey(facts.state, key);
    return answer;
  });
}

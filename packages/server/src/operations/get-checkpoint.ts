import type { Output } from '@eaas/protocol/wire';
import type { Caller } from '../caller.ts';
import { signCheckpoint } from '../crypto/checkpoint.ts';
import type { Service } from '../service.ts';
import { decide } from '../state/decide.ts';
import { checkedHead } from '../state/integrity.ts';
import { findHead } from '../store/heads.ts';
import { tampered } from '../refusal.ts';

/** GET /v1/audit/checkpoint: where the chain stands, signed, for the tenant to keep outside the service. */
export function getCheckpoint(service: Service, caller: Caller): Promise<Output<'GET /v1/audit/checkpoint'>> {
  return decide(service, caller, async ({ state }) => {
    const { tenantId } = caller;
    const row = await service.database.run((sql) => findHead(sql, tenantId));
    if (!row) throw tampered();
    const { id, hash } = checkedHead(state.secrets, tenantId, row);
    const { checkpoint, verifierKey } = signCheckpoint(state.secrets.checkpointSeed, tenantId, id, hash);
    const answer = {
      checkpoint,
      verifier_key: verifierKey,
      tenant_id: tenantId,
      id,
      hash: Buffer.from(hash).toString('hex'),
    };
    return { drafts: [], answer };
  });
}

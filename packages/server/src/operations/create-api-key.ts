import { randomUUID } from 'node:crypto';
import type { Input, Output } from '@eaas/protocol/wire';
import type { Caller } from '../caller.ts';
import { newApiKey } from '../crypto/api-key-token.ts';
import type { Service } from '../service.ts';
import { change } from '../state/change.ts';
import { sealApiKey } from '../state/integrity.ts';
import { insertApiKey } from '../store/api-keys.ts';
import { apiKeyRecord } from './api-key-record.ts';
import { requireAllowedReach, storedReach } from './api-key-rules.ts';
import { timeOrNull } from './key-record.ts';
import { tenantDraft } from './draft.ts';

/** POST /v1/api-keys: the token is in the answer, and nowhere else ever again. */
export function createApiKey(
  service: Service,
  caller: Caller,
  input: Input<'POST /v1/api-keys'>,
): Promise<Output<'POST /v1/api-keys'>> {
  return change(service, caller, async (open) => {
    const { tx, state, time, entryId } = open;
    // What is absent is null, and null is the widest: the giver must have that too.
    const set = storedReach({ expires_at: null, key_ids: null, allowed_origins: null, ...input });
    const { permissions = [], key_ids = null, allowed_origins = null, expires_at = null } = set;
    const reach = { permissions, key_ids, allowed_origins, expires_at };
    await requireAllowedReach(open, reach, set);
    const { token, tokenHash, hint } = newApiKey();
    const row = sealApiKey(state.secrets, {
      api_key_id: randomUUID(),
      tenant_id: caller.tenantId,
      name: input.name,
      hint,
      token_hash: tokenHash,
      ...reach,
      created_at: time,
      created_by: caller.actor,
      revoked_at: null,
      created_id: entryId,
      rev: entryId,
    });
    await insertApiKey(tx, row);
    const { api_key_id, name } = row;
    const metadata = { api_key_id, name, ...reach, expires_at: timeOrNull(expires_at) };
    return {
      draft: tenantDraft('api_key.create', metadata),
      answer: { ...apiKeyRecord(row, null), api_key: token },
    };
  });
}

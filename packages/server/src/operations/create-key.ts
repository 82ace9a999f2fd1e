import { randomUUID } from 'node:crypto';
import type { Input, Output } from '@eaas/protocol/wire';
import type { Caller } from '../caller.ts';
import { newHashKey, newKeyVersion } from '../crypto/key-material.ts';
import { Refusal } from '../refusal.ts';
import type { Service } from '../service.ts';
import { change } from '../state/change.ts';
import { sealKey } from '../state/integrity.ts';
import { insertKey, insertKeyVersion, nameIsTaken } from '../store/keys.ts';
import { keyDraft } from './draft.ts';
import { keyRecord } from './key-record.ts';
import { daysAfter } from './rotation.ts';

/** POST /v1/keys: a key with its first version and a hash key of its own. */
export function createKey(
  service: Service,
  caller: Caller,
  input: Input<'POST /v1/keys'>,
): Promise<Output<'POST /v1/keys'>> {
  return change(service, caller, async ({ tx, state, apiKey, time, entryId }) => {
    if (apiKey?.key_ids) {
      throw new Refusal(
        'permission_missing',
        'This API key is limited to some keys, so it cannot create others.',
      );
    }
    const { tenantId } = caller;
    if (await nameIsTaken(tx, tenantId, input.name)) {
      throw new Refusal('name_taken', 'Another key has this name already: choose another, or use that key.');
    }
    const { sealing } = state.secrets;
    const keyId = randomUUID();
    const interval = input.rotation_policy?.interval_days ?? null;
    const row = sealKey(state.secrets, {
      key_id: keyId,
      tenant_id: tenantId,
      name: input.name,
      key_version: 1,
      status: 'active',
      exportable: input.exportable ?? false,
      created_at: time,
      rotated_at: null,
      interval_days: interval,
      next_rotation_at: daysAfter(time, interval),
      destroy_at: null,
      sealed_hash_key: newHashKey(sealing, tenantId, keyId),
      created_id: entryId,
      rev: entryId,
    });
    await insertKey(tx, row);
    const sealed = newKeyVersion(sealing, tenantId, keyId, 1);
    await insertKeyVersion(tx, tenantId, { key_id: keyId, key_version: 1, created_at: time, sealed });
    const { name, exportable } = row;
    const draft = keyDraft('key.create', row, { key_version: 1, name, exportable, interval_days: interval });
    return { draft, answer: keyRecord(row) };
  });
}

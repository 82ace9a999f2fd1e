import type { AuditAction, Output } from '@eaas/protocol/wire';
import type { Caller } from '../caller.ts';
import { keyNotFound } from '../refusal.ts';
import type { Service } from '../service.ts';
import { change, type Change } from '../state/change.ts';
import { checkedKey, sealKey } from '../state/integrity.ts';
import { findKey, type KeyRow, updateKey } from '../store/keys.ts';
import { keyDraft } from './draft.ts';
import { keyRecord } from './key-record.ts';
import { requireKeyId } from './require-key.ts';

/** What changes in a key's row, and what the entry says of it. Null: nothing, and no entry. */
export type KeyChange = {
  readonly columns: Partial<Omit<KeyRow, 'mac' | 'rev'>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
} | null;

/** Changes a key and answers its record. The entry names the one that changed the key before. */
export function changeKey(
  service: Service,
  caller: Caller,
  keyId: string,
  action: AuditAction,
  work: (change: Change, row: KeyRow) => Promise<KeyChange>,
): Promise<Output<'POST /v1/keys/:key_id/disable'>> {
  return change(service, caller, async (open) => {
    const found = await findKey(open.tx, caller.tenantId, requireKeyId(open.apiKey, keyId));
    if (!found) throw keyNotFound();
    const before = checkedKey(open.state.secrets, found);
    const changed = await work(open, before);
    if (!changed) return { draft: null, answer: keyRecord(before) };
    const { mac: _, ...columns } = before;
    const row = sealKey(open.state.secrets, { ...columns, ...changed.columns, rev: open.entryId });
    await updateKey(open.tx, row);
    const draft = keyDraft(action, row, { ...changed.metadata, previous_change: before.rev });
    return { draft, answer: keyRecord(row) };
  });
}

import { chainEntry } from '../crypto/audit-mac.ts';
import type { ChainedRow } from '../store/audit-entries.ts';
import type { HeadRow } from '../store/heads.ts';
import { sealHead } from './integrity.ts';
import type { Draft, Waiting } from './queue.ts';
import type { TenantState } from './tenant-state.ts';
import { monthOf } from './time.ts';

/** What is to be written: the entries, the head after them, and whose they are. */
export interface Link {
  readonly entries: readonly ChainedRow[];
  readonly next: HeadRow;
  readonly chosen: readonly Waiting[];
}

/** A draft as the entry that follows another. */
export function chainDraft(
  { tenant, secrets }: TenantState,
  previous: { readonly id: number; readonly hash: Uint8Array },
  by: { readonly actor: string; readonly ipAddress: string | null },
  draft: Draft,
  time: number,
): ChainedRow {
  const entry = {
    tenant_id: tenant.tenant_id,
    id: previous.id + 1,
    action: draft.action,
    key_id: draft.keyId,
    key_version: draft.keyVersion,
    actor: by.actor,
    ip_address: by.ipAddress,
    metadata: draft.metadata,
    created_at: time,
  };
  return { ...entry, ...chainEntry(secrets.auditMac, previous.hash, entry) };
}

/** Gives each entry its place after the head, and settles at once what cannot be written as it was judged. */
export function chain(state: TenantState, head: HeadRow, batch: readonly Waiting[], now: number): Link {
  const time = Math.max(now, head.created_at);
  const { tenant_id: tenantId, monthly_encrypt_quota: quota } = state.tenant;
  const month = monthOf(time);
  let encrypts = head.month === month ? head.encrypts : 0;
  let { id, hash } = head;
  const entries: ChainedRow[] = [];
  const chosen: Waiting[] = [];
  for (const item of batch) {
    if (item.state !== state || (item.validUntil !== null && time >= item.validUntil)) {
      item.settle('moved');
      continue;
    }
    if (item.isEncrypt && quota !== null && encrypts >= quota) {
      item.settle('over_quota');
      continue;
    }
    if (item.isEncrypt) encrypts++;
    chosen.push(item);
    for (const draft of item.drafts) {
      const entry = chainDraft(state, { id, hash }, item, draft, time);
      ({ id, hash } = entry);
      entries.push(entry);
    }
  }
  const next = { id, hash, state_id: state.stateId, created_at: time, month, encrypts };
  return { entries, next: sealHead(state.secrets, tenantId, next), chosen };
}

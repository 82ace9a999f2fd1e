import { hasControlCharacter } from '@eaas/protocol/wire';
import { insider } from '../caller.ts';
import { Refusal } from '../refusal.ts';
import type { Service } from '../service.ts';
import { change } from '../state/change.ts';
import { sealTenant } from '../state/integrity.ts';
import { updateTenant } from '../store/tenants.ts';
import { tenantDraft } from './draft.ts';

/** The entry that says so. */
export interface AcknowledgedRestore {
  readonly tenant_id: string;
  readonly id: number;
  readonly reason: string;
}

/**
 * Records that a tenant's log continues from a backup, and why: checkpoints of what came after the backup will not hold
 * any more, and this entry tells whoever looks at them that it was meant.
 */
export async function acknowledgeRestore(
  service: Service,
  tenantId: string,
  reason: string,
): Promise<AcknowledgedRestore> {
  if (
    reason.trim() === '' ||
    reason.length > 1_024 ||
    hasControlCharacter(reason) ||
    !reason.isWellFormed()
  ) {
    throw new Refusal('bad_request', 'A reason has 1 to 1024 characters, none of them a control character.');
  }
  return change(service, insider(tenantId, 'operator'), async ({ tx, state, entryId }) => {
    const { mac: _, ...before } = state.tenant;
    await updateTenant(tx, sealTenant(state.secrets, { ...before, rev: entryId }));
    const metadata = { restored: true, reason, previous_change: before.rev };
    return {
      draft: tenantDraft('tenant.update', metadata),
      answer: { tenant_id: tenantId, id: entryId, reason },
    };
  });
}

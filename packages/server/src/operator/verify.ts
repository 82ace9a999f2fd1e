// Verifies a tenant's data for the operator: whole, without a limit, and with what the public log says of it.
import { type Verification, verifyTenant, type VerifyOptions } from '@eaas/service';
import type { Service } from '../app/service.ts';
import { withContradiction } from '../plugins/public-log.ts';
import { orNoTenant } from './tenants.ts';

/** For how long blocks may be compared with entries, in milliseconds: a million entries take a second. */
const longest = 600_000;

/** Throws Refusal for an unknown tenant, and for a checkpoint of another one. */
export async function verifyLog(
  service: Service,
  tenantId: string,
  options: VerifyOptions = {},
): Promise<Verification> {
  const { background, publicLog } = service;
  const verified = await orNoTenant(verifyTenant(service, tenantId, options));
  const found = publicLog ? await withContradiction(background, publicLog, tenantId, verified) : verified;
  // With entries that were tampered with, blocks would differ too.
  if (!found.valid) return found;
  const { count } = await background.snapshot(
    (tx) => tx`
      with kinds as (
        select distinct action, actor, id >> 10 as block from eaas.audit_entries where tenant_id = ${tenantId}),
      needed as (select of, block from kinds, unnest(eaas.blocks_of(action, actor)) as of)
      table needed except select of, block from eaas.audit_blocks where tenant_id = ${tenantId} limit 1`,
    longest,
  );
  if (count === 0) return found;
  return { ...found, valid: false, errors: [{ id: null, reason: 'blocks_differ' }], error_count: 1 };
}

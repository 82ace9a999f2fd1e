// Verifies a tenant's data for the operator: whole, without a limit, and with what the public log says of it.
import { type Verification, verifyTenant, type VerifyOptions } from '@eaas/service';
import type { Service } from '../app/service.ts';
import { withContradiction } from '../plugins/public-log.ts';
import { orNoTenant } from './tenants.ts';

/** Throws Refusal for an unknown tenant, and for a checkpoint of another one. */
export async function verifyLog(
  service: Service,
  tenantId: string,
  options: VerifyOptions = {},
): Promise<Verification> {
  const { publicLog } = service;
  const verified = await orNoTenant(verifyTenant(service, tenantId, options));
  return publicLog ? withContradiction(service.background, publicLog, tenantId, verified) : verified;
}

// Verifies a tenant's data for the operator: whole, without a limit, and with what the public log says of it.
import { type Verification, type VerifyOptions, verifyWithPlugins } from '@eaas/service';
import type { Service } from '../app/service.ts';
import { orNoTenant } from './tenants.ts';

/** Throws Refusal for an unknown tenant, and for a checkpoint of another one. */
export const verifyLog = (
  service: Service,
  tenantId: string,
  options: VerifyOptions = {},
): Promise<Verification> =>
  orNoTenant(verifyWithPlugins(service, tenantId, { allHistory: true, ...options }));

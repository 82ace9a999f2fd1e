import type { Extra } from '@eaas/server/internal';
import { lastVerification, nightlyVerify } from './nightly-verify.ts';

/** Verifies the audit log of each tenant once a night, on one of the replicas. */
export const nightlyVerification: Extra = {
  jobs: ({ service, log, state, leased }) => [
    leased('verify', 600, (lease) =>
      nightlyVerify(service, lease, (tenantId, findings) => {
        log.error({ tenant_id: tenantId, findings }, 'the audit chain of a tenant is broken');
      }),
    ),
    {
      name: 'verified',
      everySeconds: 60,
      run: async () => {
        state.verified = await lastVerification(service);
      },
    },
  ],
};

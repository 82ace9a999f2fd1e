import { insider } from '../caller.ts';
import { revokeApiKey } from '../operations/change-api-key.ts';
import { requireTenantId } from '../operations/tenants.ts';
import { reporting, withService } from './command.ts';
import { printResult } from './output.ts';

/** `eaas api-key revoke`. */
export const apiKeyRevoke = reporting('revoke', 'Revoke an API key, at once and for good.', [
  'api-key revoke 0b6c9a52-6f0e-4d5a-9a5c-2f4f1d1e7c11 --tenant acme',
])
  .argument('<api_key_id>', 'the id of the API key')
  .requiredOption('--tenant <tenant>', "the tenant's id or name")
  .action(async (apiKeyId: string, options: { tenant: string; json?: true }) => {
    const revoked = await withService(async ({ service }) => {
      const tenantId = await requireTenantId(service, options.tenant);
      return revokeApiKey(service, insider(tenantId, 'operator'), { api_key_id: apiKeyId });
    });
    printResult(revoked, options);
  });

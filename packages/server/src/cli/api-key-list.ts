import type { Output } from '@eaas/protocol/wire';
import { insider } from '../caller.ts';
import { listApiKeys } from '../operations/show-api-keys.ts';
import { requireTenantId } from '../operations/tenants.ts';
import type { Service } from '../service.ts';
import { reporting, withService } from './command.ts';
import { printResults } from './output.ts';

type ApiKey = Output<'GET /v1/api-keys'>['api_keys'][number];

/** `eaas api-key list`. */
export const apiKeyList = reporting('list', "List a tenant's API keys, newest first.", [
  'api-key list --tenant acme',
  'api-key list --tenant acme --json',
])
  .requiredOption('--tenant <tenant>', "the tenant's id or name")
  .action(async (options: { tenant: string; json?: true }) => {
    const apiKeys = await withService(async ({ service }) => {
      const tenantId = await requireTenantId(service, options.tenant);
      return all(service, tenantId);
    });
    const columns = [
      'api_key_id',
      'name',
      'hint',
      'permissions',
      'expires_at',
      'revoked_at',
      'last_used_at',
    ] as const;
    printResults(apiKeys, columns, options);
  });

async function all(service: Service, tenantId: string): Promise<ApiKey[]> {
  const found: ApiKey[] = [];
  for (;;) {
    const page = { limit: 100, offset: found.length };
    const { api_keys } = await listApiKeys(service, insider(tenantId, 'operator'), page);
    found.push(...api_keys);
    if (api_keys.length < page.limit) return found;
  }
}

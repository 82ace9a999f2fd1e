import { createTenant } from '../operations/tenants.ts';
import { reporting, withService } from './command.ts';
import { note, printResult } from './output.ts';
import { tenantFields, type TenantOptions, withTenantOptions } from './tenant-options.ts';

const examples = [
  'tenant create --name acme',
  'tenant create --name acme --envelope-only false --monthly-encrypt-quota 100000 --json',
];

/** `eaas tenant create`. */
export const tenantCreate = withTenantOptions(
  reporting('create', 'Create a tenant.', examples).requiredOption(
    '--name <name>',
    'its name, which no other tenant has',
  ),
).action(async (options: TenantOptions & { name: string }) => {
  const fields = { ...tenantFields(options), name: options.name };
  const tenant = await withService(({ service }) => createTenant(service, fields));
  printResult(tenant, options);
  if (!options.json)
    note(`Next: eaas api-key create --tenant ${tenant.tenant_id} --name first --permissions all`);
});

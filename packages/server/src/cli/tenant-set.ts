import { requireTenantId, updateTenant } from '../operations/tenants.ts';
import { reporting, withService } from './command.ts';
import { WrongUsage } from './failure.ts';
import { printResult } from './output.ts';
import { tenantFields, type TenantOptions, withTenantOptions } from './tenant-options.ts';

const examples = [
  'tenant set acme --envelope-only false',
  'tenant set acme --monthly-encrypt-quota null --json',
];

/** `eaas tenant set`. */
export const tenantSet = withTenantOptions(
  reporting('set', "Change a tenant. The change is recorded in the tenant's audit log.", examples)
    .argument('<tenant>', 'its id or name')
    .option('--name <name>', 'another name'),
).action(async (idOrName: string, options: TenantOptions) => {
  const fields = tenantFields(options);
  if (Object.values(fields).every((value) => value === undefined)) {
    throw new WrongUsage('Say what to set, as in --envelope-only false.');
  }
  const tenant = await withService(async ({ service }) => {
    return updateTenant(service, await requireTenantId(service, idOrName), fields);
  });
  printResult(tenant, options);
});

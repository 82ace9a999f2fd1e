import { listTenants } from '../operations/tenants.ts';
import { reporting, withService } from './command.ts';
import { noteChanged, printResults } from './output.ts';

/** `eaas tenant list`. */
export const tenantList = reporting('list', 'List all tenants, by name.', [
  'tenant list',
  'tenant list --json',
]).action(async (options: { json?: true }) => {
  const found = await withService(({ service }) => listTenants(service));
  const tenants = found.map(({ tenant }) => tenant);
  printResults(
    tenants,
    ['tenant_id', 'name', 'envelope_only', 'monthly_encrypt_quota', 'created_at'],
    options,
  );
  for (const { tenant, authentic } of found) if (!authentic) noteChanged(tenant);
});

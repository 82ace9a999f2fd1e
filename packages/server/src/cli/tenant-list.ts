import { listTenants } from '../operations/tenants.ts';
import { reporting, withService } from './command.ts';
import { note, printResults } from './output.ts';

/** `eaas tenant list`. */
export const tenantList = reporting('list', 'List all tenants, by name.', [
  'tenant list',
  'tenant list --json',
]).action(async (options: { json?: true }) => {
  const listed = await withService(({ service }) => listTenants(service));
  const tenants = listed.map(({ tenant }) => tenant);
  printResults(
    tenants,
    ['tenant_id', 'name', 'envelope_only', 'monthly_encrypt_quota', 'created_at'],
    options,
  );
  for (const { tenant, authentic } of listed) {
    if (!authentic) {
      note(
        `Warning: the row of ${tenant.tenant_id} was changed; see \`eaas audit verify --tenant ${tenant.tenant_id}\`.`,
      );
    }
  }
});

import { requireTenant } from '../operations/tenants.ts';
import { reporting, withService } from './command.ts';
import { noteChanged, printResult } from './output.ts';

/** `eaas tenant show`. */
export const tenantShow = reporting('show', 'Show a tenant.', ['tenant show acme', 'tenant show acme --json'])
  .argument('<tenant>', 'its id or name')
  .action(async (idOrName: string, options: { json?: true }) => {
    const { tenant, authentic } = await withService(({ service }) => requireTenant(service, idOrName));
    printResult(tenant, options);
    if (!authentic) noteChanged(tenant);
  });

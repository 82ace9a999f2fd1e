import { acknowledgeRestore } from '../operations/acknowledge-restore.ts';
import { requireTenantId } from '../operations/tenants.ts';
import { reporting, withService } from './command.ts';
import { note, printResult } from './output.ts';

/** `eaas audit acknowledge-restore`. */
export const auditAcknowledgeRestore = reporting(
  'acknowledge-restore',
  "Record in a tenant's log that it was restored from a backup. Checkpoints from after the backup do not hold any more; " +
    'the entry says that it was meant, and why.',
  ['audit acknowledge-restore --tenant acme --reason "disk failure, backup of 2026-11-19"'],
)
  .requiredOption('--tenant <tenant>', "the tenant's id or name")
  .requiredOption('--reason <text>', 'what happened; the tenant can read it')
  .action(async (options: { tenant: string; reason: string; json?: true }) => {
    const recorded = await withService(async ({ service }) =>
      acknowledgeRestore(service, await requireTenantId(service, options.tenant), options.reason),
    );
    printResult(recorded, options);
    note(`Next: eaas audit checkpoint --tenant ${recorded.tenant_id}, and give it to the tenant.`);
  });

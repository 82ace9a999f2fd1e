import { insider } from '../caller.ts';
import { getCheckpoint } from '../operations/get-checkpoint.ts';
import { requireTenantId } from '../operations/tenants.ts';
import { reporting, withService } from './command.ts';
import { note, printJson } from './output.ts';

/** `eaas audit checkpoint`. */
export const auditCheckpoint = reporting(
  'checkpoint',
  "Print a signed statement of where a tenant's log stands. Keep it outside: `audit verify --checkpoint-file` later " +
    'proves that the log still extends it.',
  ['audit checkpoint --tenant acme > acme.checkpoint', 'audit checkpoint --tenant acme --json'],
)
  .requiredOption('--tenant <tenant>', "the tenant's id or name")
  .action(async (options: { tenant: string; json?: true }) => {
    const answer = await withService(async ({ service }) =>
      getCheckpoint(service, insider(await requireTenantId(service, options.tenant), 'operator')),
    );
    if (options.json) return printJson(answer);
    process.stdout.write(answer.checkpoint);
    note(`Verifier key, to be pinned: ${answer.verifier_key}`);
  });

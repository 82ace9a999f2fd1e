import { destroyTenant, requireTenant } from '../operations/tenants.ts';
import { CannotStart } from '../cannot-start.ts';
import { isDenied } from '../store/faults.ts';
import { openPool } from '../store/sql.ts';
import { reporting, withService } from './command.ts';
import { WrongUsage } from './failure.ts';
import { note, printResult } from './output.ts';

const ownerOnly =
  'Only the role that owns the tables may erase a tenant: set EAAS_MIGRATE_DATABASE_URL to it.';

/** `eaas tenant destroy`. */
export const tenantDestroy = reporting(
  'destroy',
  'Erase a tenant for good. Its keys, its API keys, its usage and its audit log go: nothing that was encrypted under its ' +
    'keys can ever be decrypted again, and no record of it remains. Needs the role that owns the tables ' +
    '(EAAS_MIGRATE_DATABASE_URL).',
  ['audit export --tenant acme --out acme.ndjson', 'tenant destroy acme --confirm acme'],
)
  .argument('<tenant>', 'its id or name')
  .option('--confirm <name>', "the tenant's name, to confirm that it is this one")
  .action(async (idOrName: string, options: { confirm?: string; json?: true }) => {
    const destroyed = await withService(async ({ service, database }) => {
      const { tenant } = await requireTenant(service, idOrName);
      if (options.confirm !== tenant.name) {
        throw new WrongUsage(
          `This erases the tenant ${JSON.stringify(tenant.name)} (${tenant.tenant_id}) with its keys, API keys, usage and ` +
            'audit log, for good: whatever is encrypted under its keys is lost. Nothing has been done. To go on, add ' +
            '--confirm with its name.',
        );
      }
      const owner = openPool(database.ownerConnection, 1);
      try {
        await destroyTenant(owner, tenant.tenant_id);
      } catch (error) {
        throw isDenied(error) ? new CannotStart(ownerOnly, { cause: error }) : error;
      } finally {
        await owner.end({ timeout: 3 });
      }
      return { ...tenant, destroyed: true };
    });
    printResult(destroyed, options);
    note('Backups of the database still hold the tenant until they expire.');
  });

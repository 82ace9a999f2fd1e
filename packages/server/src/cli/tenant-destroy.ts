import { createInterface } from 'node:readline/promises';
import { destroyTenant, requireTenant, type TenantRecord } from '../operations/tenants.ts';
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
  .option('--confirm <name>', "the tenant's name, to confirm that it is this one; asked for at a terminal")
  .action(async (idOrName: string, options: { confirm?: string; json?: true }) => {
    const destroyed = await withService(async ({ service, database }) => {
      const { tenant } = await requireTenant(service, idOrName);
      const confirmed = options.confirm ?? (await askName(tenant));
      if (confirmed !== tenant.name) {
        throw new WrongUsage(
          `That is not the name of the tenant ${tenant.tenant_id}. Nothing has been done.`,
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

/** At a terminal the name has to be typed; a script has said what it means. */
async function askName({ tenant_id: id, name }: TenantRecord): Promise<string> {
  if (!process.stdin.isTTY) return name;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(
      `This erases the tenant ${JSON.stringify(name)} (${id}) with its keys, API keys, usage and audit log, for good: ` +
        'whatever is encrypted under its keys is lost.\nType its name to go on: ',
    );
  } finally {
    terminal.close();
  }
}

import { escapeHidden } from '@eaas/protocol/internal';
import { formatTimestamp } from '@eaas/protocol/wire';
import { removeFilesOfTenant } from '@eaas/fleet/nightly';
import {
  asOwner,
  CannotStart,
  countHoldings,
  destroyTenant,
  findHead,
  isClosed,
  isDenied,
  type OpenDatabase,
  requireTenant,
  type Service,
  type TenantRecord,
} from '@eaas/server/internal';
import { reporting, withService } from './command.ts';
import { requireConfirmable, requireConfirmed } from './confirm.ts';
import { note, printResult, type Reporting } from './output.ts';

const warning =
  'All of this will be permanently erased, and data that is encrypted under its keys will be lost.';

export const tenantDestroy = reporting(
  'destroy',
  'Permanently erase a tenant. Erases its keys, API keys, usage and audit log: data under its keys can never be decrypted ' +
    'again, and no record remains. Prints what the tenant has, then erases the tenant. Needs the role that owns ' +
    'the tables (EAAS_MIGRATE_DATABASE_URL).',
  ['audit export --tenant acme --out acme.ndjson', 'tenant destroy acme --confirm acme'],
)
  .argument('<tenant>', "the tenant's id or name")
  .option(
    '--confirm <name>',
    "the tenant's name. Required without a terminal; at a terminal the command asks for the name",
  )
  .action(async (idOrName: string, options: Reporting & { confirm?: string }) => {
    const { confirm } = options;
    requireConfirmable(confirm, 'tenant');
    const destroyed = await withService(async ({ service, database }, { checkpointDirectory }) => {
      const { tenant } = await requireTenant(service, idOrName);
      await tellHoldings(service, tenant);
      const { tenant_id: id, name } = tenant;
      await requireConfirmed({ what: 'tenant', id, name }, confirm, warning);
      await erase(database, tenant.tenant_id);
      if (checkpointDirectory !== null) await removeFilesOfTenant(checkpointDirectory, tenant.tenant_id);
      return { ...tenant, destroyed: true };
    });
    printResult(destroyed, options);
    note(
      'Backups of the database, freed disk pages and the WAL still contain data of the tenant until they are overwritten.',
    );
  });

async function tellHoldings({ database }: Service, { tenant_id: id, name }: TenantRecord): Promise<void> {
  const [holdings, head] = await database.run((sql) =>
    Promise.all([countHoldings(sql, id), findHead(sql, id)]),
  );
  const { keys, api_keys: apiKeys, entries, last_used_at: lastUsed } = holdings;
  const used = lastUsed === null ? 'never used' : `last used ${formatTimestamp(lastUsed)}`;
  note(
    `The tenant ${escapeHidden(JSON.stringify(name))} (${id}) has ${keys} ${keys === 1 ? 'key' : 'keys'}, ` +
      `${apiKeys} ${apiKeys === 1 ? 'API key' : 'API keys'} and ` +
      `${entries} ${entries === 1 ? 'audit entry' : 'audit entries'}; ${used}.`,
  );
  if (head && isClosed(head)) {
    note(
      'Warning: this database has only a copy of the tenant, because of `eaas database copy`. This command erases only the ' +
        'copy. To erase the tenant, also run the command for the other database.',
    );
  }
}

async function erase(database: OpenDatabase, tenantId: string): Promise<void> {
  try {
    await asOwner(database, (owner) => destroyTenant(owner, tenantId));
  } catch (error) {
    if (!isDenied(error)) throw error;
    const message =
      'Only the role that owns the tables can erase a tenant: set EAAS_MIGRATE_DATABASE_URL to it.';
    throw new CannotStart(message, { cause: error });
  }
}

// `eaas tenant`: creates, lists, changes and destroys tenants, which only an operator with the database can do.
import { WrongUsage } from './kit/index.ts';
import { escapeHidden } from '@eaas/protocol/internal';
import { endpoints, formatTimestamp, permissions } from '@eaas/protocol/wire';
import {
  asOwner,
  checked,
  countHoldings,
  createTenant,
  destroyTenant,
  listTenants,
  requireTenant,
  requireTenantId,
  type Service,
  type TenantRecord,
  updateTenant,
} from '@eaas/server/internal';
import { tokenNote } from './calls.ts';
import { operatorOf, reporting, withService } from './command.ts';
import { confirmOption, requireConfirmable, requireConfirmed } from './confirm.ts';
import { next, note, printResult, printResults } from './output.ts';
import { fieldsOf, moment, orNull, permissionList, trueOrFalse, wholeNumber } from './values.ts';

const withFields = (name: string, description: string, examples: readonly string[]) =>
  reporting(name, description, examples)
    .option(
      '--envelope-only <true|false>',
      'true if clients must encrypt locally (the default for tenants created on or after 2026-08-11)',
      trueOrFalse,
    )
    .option(
      '--monthly-encrypt-quota <number|null>',
      'the number of successful encrypt calls per month in server mode, or null for no limit',
      orNull(wholeNumber),
    )
    .option('--created-at <time>', 'when the tenant was created, for imports (RFC 3339)', moment);

const create = withFields(
  'create',
  'Create a tenant. With --key and --permissions, also a key and an API key for its first app.',
  [
    'tenant create acme',
    'tenant create acme --key patients --permissions encrypt',
    'tenant create --name acme --envelope-only false --monthly-encrypt-quota 100000 --json',
  ],
)
  .argument('[name]', 'the name of the tenant, which must be unique')
  .option('--name <name>', 'the name, as an option')
  .option('--key <name>', 'also create a key with this name')
  .option(
    '--permissions <list>',
    `also create the API key "first", whose token is shown once: all, or some of ${permissions.join(',')}`,
    permissionList,
  )
  .action(async (given, { key, permissions, ...options }) => {
    const name = given ?? options.name;
    if (name === undefined) {
      throw new WrongUsage('Pass the name of the tenant, as in `eaas tenant create acme`.');
    }
    const ofKey = key === undefined ? undefined : checked(endpoints['POST /v1/keys'].body, { name: key });
    const { tenant, records } = await withService(async ({ service }) => {
      const tenant = await createTenant(service, { ...fieldsOf(options), name });
      const { ask } = operatorOf(service, tenant.tenant_id);
      const keys = ofKey ? [await ask('POST /v1/keys', ofKey)] : [];
      const apiKeys = permissions ? [await ask('POST /v1/api-keys', { name: 'first', permissions })] : [];
      return { tenant, records: [tenant, ...keys, ...apiKeys] };
    });
    for (const record of records) printResult(record, options);
    if (permissions) note(tokenNote);
    else next(`\`eaas api-key create --tenant ${tenant.tenant_id} --name first --permissions all\``, options);
  });

const list = reporting('list', 'List all tenants, by name.', ['tenant list', 'tenant list --json']).action(
  async (options) => {
    const found = await withService(({ service }) => listTenants(service));
    const tenants = found.map(({ tenant }) => tenant);
    const columns = ['name', 'envelope_only', 'monthly_encrypt_quota', 'created_at'] as const;
    printResults(tenants, ['tenant_id', ...columns], options);
    note(...found.map(({ tenant, authentic }) => !authentic && wasChanged(tenant.tenant_id)));
  },
);

const show = reporting('show', 'Show a tenant.', ['tenant show acme', 'tenant show acme --json'])
  .argument('<tenant>', "the tenant's id or name")
  .action(async (idOrName, options) => {
    const { tenant, authentic } = await withService(({ service }) => requireTenant(service, idOrName));
    printResult(tenant, options);
    note(!authentic && wasChanged(tenant.tenant_id));
  });

const set = withFields('set', "Change a tenant. The change is recorded in the tenant's audit log.", [
  'tenant set acme --envelope-only false',
  'tenant set acme --monthly-encrypt-quota null --json',
])
  .argument('<tenant>', "the tenant's id or name")
  .option('--name <name>', 'the new name')
  .action(async (idOrName, options) => {
    const fields = fieldsOf(options);
    if (Object.keys(fields).length === 0) {
      throw new WrongUsage('Pass at least one option that changes the tenant, as in --envelope-only false.');
    }
    const tenant = await withService(async ({ service }) =>
      updateTenant(service, await requireTenantId(service, idOrName), fields),
    );
    printResult(tenant, options);
  });

const wasChanged = (id: string): string =>
  `Warning: the row of tenant ${id} was changed by something other than the service: run \`eaas audit verify --tenant ${id}\`.`;

const warning =
  'All of this will be permanently erased, and data that is encrypted under its keys will be lost.';

const destroy = reporting(
  'destroy',
  'Permanently erase a tenant. Erases its keys, API keys, usage and audit log: data under its keys can never be decrypted ' +
    'again, and no record remains. Prints what the tenant has, then erases the tenant. Needs the role that owns ' +
    'the tables (EAAS_MIGRATE_DATABASE_URL).',
  ['audit export --tenant acme --out acme.ndjson', 'tenant destroy acme --confirm acme'],
)
  .argument('<tenant>', "the tenant's id or name")
  .addOption(confirmOption('tenant'))
  .action(async (idOrName, options) => {
    const { confirm } = options;
    requireConfirmable(confirm, '--confirm with the name of the tenant');
    const destroyed = await withService(async ({ service, database }) => {
      const { tenant } = await requireTenant(service, idOrName);
      await tellHoldings(service, tenant);
      await requireConfirmed('tenant', tenant.name, warning, confirm);
      await asOwner(database, (owner) => destroyTenant(owner, tenant.tenant_id));
      return { ...tenant, destroyed: true };
    });
    printResult(destroyed, options);
    note(
      'Backups of the database, freed disk pages and the WAL still contain data of the tenant until they are overwritten.',
    );
  });

async function tellHoldings({ database }: Service, { tenant_id: id, name }: TenantRecord): Promise<void> {
  const {
    keys,
    api_keys: apiKeys,
    entries,
    last_used_at,
  } = await database.run((sql) => countHoldings(sql, id));
  const used = last_used_at === null ? 'never used' : `last used ${formatTimestamp(last_used_at)}`;
  note(
    `The tenant ${escapeHidden(JSON.stringify(name))} (${id}) has ${keys} ${keys === 1 ? 'key' : 'keys'}, ` +
      `${apiKeys} ${apiKeys === 1 ? 'API key' : 'API keys'} and ` +
      `${entries} ${entries === 1 ? 'audit entry' : 'audit entries'}; ${used}.`,
  );
}

export const tenantCommands = [create, list, show, set, destroy];

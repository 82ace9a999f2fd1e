import { WrongUsage } from '@eaas/cli-kit';
import type { Command } from 'commander';
import {
  createTenant,
  listTenants,
  requireTenant,
  requireTenantId,
  type TenantFields,
  updateTenant,
} from '@eaas/server/internal';
import { reporting, withService } from './command.ts';
import { next, note, printResult, printResults, type Reporting } from './output.ts';
import { tenantDestroy } from './tenant-destroy.ts';
import { moment, numberOrNull, trueOrFalse } from './values.ts';

interface FieldOptions extends Reporting {
  readonly name?: string;
  readonly envelopeOnly?: boolean;
  readonly monthlyEncryptQuota?: number | 'null';
  readonly createdAt?: number;
}

function withFields(command: Command): Command {
  return command
    .option(
      '--envelope-only <true|false>',
      'true if clients must encrypt locally (the default for tenants created on or after 2026-08-11)',
      trueOrFalse,
    )
    .option(
      '--monthly-encrypt-quota <number|null>',
      'the number of successful encrypt calls per month in server mode, or null for no limit',
      numberOrNull,
    )
    .option('--created-at <time>', 'when the tenant was created, for imports (RFC 3339)', moment);
}

function fieldsOf({ name, envelopeOnly, monthlyEncryptQuota: quota, createdAt }: FieldOptions): TenantFields {
  return {
    name,
    envelope_only: envelopeOnly,
    monthly_encrypt_quota: quota === 'null' ? null : quota,
    created_at: createdAt,
  };
}

const create = withFields(
  reporting('create', 'Create a tenant.', [
    'tenant create --name acme',
    'tenant create --name acme --envelope-only false --monthly-encrypt-quota 100000 --json',
  ]).requiredOption('--name <name>', 'the name of the tenant, which must be unique'),
).action(async (options: FieldOptions & { name: string }) => {
  const fields = { ...fieldsOf(options), name: options.name };
  const tenant = await withService(({ service }) => createTenant(service, fields));
  printResult(tenant, options);
  next(`\`eaas api-key create --tenant ${tenant.tenant_id} --name first --permissions all\``, options);
});

const list = reporting('list', 'List all tenants, by name.', ['tenant list', 'tenant list --json']).action(
  async (options: Reporting) => {
    const found = await withService(({ service }) => listTenants(service));
    const tenants = found.map(({ tenant }) => tenant);
    const columns = ['name', 'envelope_only', 'monthly_encrypt_quota', 'created_at'] as const;
    printResults(tenants, ['tenant_id', ...columns], options);
    for (const { tenant, authentic } of found) if (!authentic) noteChanged(tenant.tenant_id);
  },
);

const show = reporting('show', 'Show a tenant.', ['tenant show acme', 'tenant show acme --json'])
  .argument('<tenant>', "the tenant's id or name")
  .action(async (idOrName: string, options: Reporting) => {
    const { tenant, authentic } = await withService(({ service }) => requireTenant(service, idOrName));
    printResult(tenant, options);
    if (!authentic) noteChanged(tenant.tenant_id);
  });

const set = withFields(
  reporting('set', "Change a tenant. The change is recorded in the tenant's audit log.", [
    'tenant set acme --envelope-only false',
    'tenant set acme --monthly-encrypt-quota null --json',
  ])
    .argument('<tenant>', "the tenant's id or name")
    .option('--name <name>', 'the new name'),
).action(async (idOrName: string, options: FieldOptions) => {
  const fields = fieldsOf(options);
  if (Object.values(fields).every((value) => value === undefined)) {
    throw new WrongUsage('Pass at least one option that changes the tenant, as in --envelope-only false.');
  }
  const tenant = await withService(async ({ service }) =>
    updateTenant(service, await requireTenantId(service, idOrName), fields),
  );
  printResult(tenant, options);
});

function noteChanged(id: string): void {
  note(
    `Warning: the row of tenant ${id} was changed by something other than the service: run \`eaas audit verify --tenant ${id}\`.`,
  );
}

export const tenantCommands = [create, list, show, set, tenantDestroy];

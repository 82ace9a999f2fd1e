import { endpoints, explain, type Permission, permissions } from '@eaas/protocol/wire';
import { insider } from '../caller.ts';
import { createApiKey } from '../operations/create-api-key.ts';
import { requireTenantId } from '../operations/tenants.ts';
import { reporting, withService } from './command.ts';
import { WrongUsage } from './failure.ts';
import { note, printResult } from './output.ts';
import { list } from './values.ts';

interface Options {
  readonly tenant: string;
  readonly name: string;
  readonly permissions: string[];
  readonly keyIds?: string[];
  readonly expiresAt?: string;
  readonly allowedOrigins?: string[];
  readonly json?: true;
}

const examples = [
  'api-key create --tenant acme --name first --permissions all',
  'api-key create --tenant acme --name ci --permissions encrypt,decrypt --expires-at 2027-01-01T00:00:00Z --json',
];

/** `eaas api-key create`. */
export const apiKeyCreate = reporting('create', 'Create an API key. Its token is shown once.', examples)
  .requiredOption('--tenant <tenant>', "the tenant's id or name")
  .requiredOption('--name <name>', 'what it is for')
  .requiredOption('--permissions <list>', `all, or some of ${permissions.join(',')}`, list)
  .option('--key-ids <list>', 'limit it to these keys', list)
  .option('--expires-at <time>', 'when it ends (RFC 3339)')
  .option('--allowed-origins <list>', 'let browsers of these origins use it, as in https://app.example', list)
  .action(async (options: Options) => {
    const input = requireInput(options);
    const created = await withService(async ({ service }) => {
      const tenantId = await requireTenantId(service, options.tenant);
      return createApiKey(service, insider(tenantId, 'operator'), input);
    });
    printResult(created, options);
    note('The token is shown this once and stored nowhere: keep it now.');
  });

/** What POST /v1/api-keys would take, by its own schema. */
function requireInput({ name, permissions: given, keyIds, expiresAt, allowedOrigins }: Options) {
  const body = {
    name,
    permissions: given.join() === 'all' ? permissions : (given as Permission[]),
    ...(keyIds && { key_ids: keyIds }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...(allowedOrigins && { allowed_origins: allowedOrigins }),
  };
  const { success, data, error } = endpoints['POST /v1/api-keys'].body.safeParse(body);
  if (!success) throw new WrongUsage(`${explain(error, body)}.`);
  return data;
}

import { createHash } from 'node:crypto';
import { parseUuid } from '@eaas/protocol';
import { endpoints, formatTimestamp, isApiKey, permissions } from '@eaas/protocol/wire';
import {
  asWord,
  type Caller,
  checked,
  expiringApiKeys,
  insider,
  operations,
  readClock,
  Refusal,
  requireTenant,
  type Service,
} from '@eaas/server/internal';
import {
  allPages,
  listCommand,
  type OnTenant,
  onTenant,
  reporting,
  withService,
  withTenant,
} from './command.ts';
import { askHidden } from './confirm.ts';
import { orNotFound } from './failure.ts';
import { readLine } from './given-file.ts';
import { WrongUsage } from './kit/index.ts';
import { next, note, printResult, printResults, type Reporting } from './output.ts';
import { daysTo, fieldsOf, list, permissionList } from './values.ts';

const create = onTenant('create', 'Create an API key. Its token is shown once.', [
  'api-key create --tenant acme --name first --permissions all',
  'api-key create --tenant acme --name ci --permissions encrypt,decrypt --expires-at 2027-01-01T00:00:00Z --json',
])
  .requiredOption('--name <name>', 'what the API key is for')
  .requiredOption('--permissions <list>', `all, or some of ${permissions.join(',')}`, permissionList)
  .option('--key-ids <list>', 'limit the API key to these keys', list)
  .option('--expires-at <time>', 'when the API key expires (RFC 3339)')
  .option(
    '--allowed-origins <list>',
    'let browsers use the API key on pages of these origins, such as https://app.example',
    list,
  )
  .action(async (options: OnTenant) => {
    const input = checked(endpoints['POST /v1/api-keys'].body, fieldsOf(options));
    const missing = 'The tenant does not have all of the keys in --key-ids: pass only ids of its own keys.';
    const created = await withTenant(options, (service, operator) =>
      orNotFound(missing, operations['POST /v1/api-keys'](service, operator, input)),
    );
    printResult(created, options);
    note('The token is shown only once and is not stored: save it now.');
    next('set EAAS_API_KEY to the token for the application', options);
  });

const listAll = listCommand(
  'api-key',
  "List a tenant's API keys, newest first.",
  ['api_key_id', 'name', 'hint', 'permissions', 'expires_at', 'revoked_at', 'last_used_at'],
  async (...call) => (await operations['GET /v1/api-keys'](...call)).api_keys,
);

const revoke = onTenant('revoke', 'Revoke an API key immediately and permanently.', [
  'api-key revoke ci --tenant acme',
  'api-key revoke 0b6c9a52-6f0e-4d5a-9a5c-2f4f1d1e7c11 --tenant acme',
])
  .argument('<api_key>', "the API key's id or name")
  .action(async (idOrName: string, options: OnTenant) => {
    const revoked = await withTenant(options, async (service, operator) => {
      const missing =
        `The tenant has no API key with this id or name: \`eaas api-key list --tenant ${operator.tenantId}\` lists them, ` +
        'and `eaas api-key identify` finds one by its token.';
      const api_key_id = parseUuid(idOrName) ?? (await idNamed(service, operator, idOrName)) ?? idOrName;
      const remove = operations['DELETE /v1/api-keys/:api_key_id'];
      return orNotFound(missing, remove(service, operator, { api_key_id }));
    });
    printResult(revoked, options);
    const follow = `eaas audit follow --tenant ${asWord(options.tenant)} --once`;
    next(`\`${follow} | grep ${revoked.api_key_id}\` shows what the API key did`, options);
  });

/** Finds an API key that is not revoked by its name, which others can have too. */
async function idNamed(service: Service, operator: Caller, name: string): Promise<string | undefined> {
  const list = operations['GET /v1/api-keys'];
  const all = await allPages(async (page) => (await list(service, operator, page)).api_keys, 'api_key_id');
  const named = all.filter((apiKey) => apiKey.name === name && apiKey.revoked_at === null);
  const ids = named.map(({ api_key_id }) => api_key_id);
  if (ids.length < 2) return ids[0];
  throw new Refusal(
    'conflict',
    `${ids.length} API keys have this name: pass the id of one (${ids.join(', ')}).`,
  );
}

const identify = reporting(
  'identify',
  'Say whose a token is, such as one that was found in a log. Reads it from standard input, or asks for it: it is no ' +
    'argument, because other users of the machine and the history of the shell would see it.',
  ['api-key identify', 'api-key identify --json < token.txt'],
).action(async (options: Reporting) => {
  const given = process.stdin.isTTY ? await askHidden('The token: ') : await readLine('token', 64);
  const token = given.trim();
  if (!isApiKey(token))
    throw new WrongUsage(
      'The token must be eaas_sk_ and 49 letters and digits, with a right checksum: pass all of it.',
    );
  const found = await withService(async ({ service }) => {
    const owned = await service.tokens.find(createHash('sha256').update(token).digest('hex'));
    const unknown = 'No tenant has this API key: it is of another service, or its tenant was destroyed.';
    if (!owned) throw new Refusal('not_found', unknown);
    const { tenant } = await requireTenant(service, owned.tenantId);
    const show = operations['GET /v1/api-keys/:api_key_id'];
    const operator = insider(owned.tenantId, 'operator');
    const record = await orNotFound(unknown, show(service, operator, { api_key_id: owned.id }));
    return { tenant_id: tenant.tenant_id, tenant: tenant.name, ...record };
  });
  printResult(found, options);
  next(`\`eaas api-key revoke ${found.api_key_id} --tenant ${asWord(found.tenant)}\` revokes it`, options);
});

const expiring = reporting(
  'expiring',
  'List the API keys of all tenants that expire soon, the earliest first. An API key without last_used_at was never used.',
  ['api-key expiring', 'api-key expiring --days 30 --json'],
)
  .option('--days <number>', 'within this number of days', daysTo(36_500), 7)
  .action(async (options: Reporting & { days: number }) => {
    const rows = await withService(async ({ service }) => {
      await readClock(service);
      const now = service.ledger.clock.now();
      return service.background.run(
        (sql) => expiringApiKeys(sql, now, now + options.days * 24 * 60 * 60 * 1_000),
        30_000,
      );
    });
    const shown = rows.map(({ tenant, tenant_id, api_key_id, name, expires_at, last_used_at }) => ({
      tenant,
      tenant_id,
      api_key_id,
      name,
      expires_at: formatTimestamp(expires_at),
      last_used_at: last_used_at === null ? null : formatTimestamp(last_used_at),
    }));
    printResults(shown, ['tenant', 'api_key_id', 'name', 'expires_at', 'last_used_at'], options);
  });

export const apiKeyCommands = [create, listAll, identify, expiring, revoke];

// Commands for the API keys of all tenants: whose a token is, and which ones expire.
import { createHash } from 'node:crypto';
import { askHidden } from '@eaas/local/internal';
import { formatTimestamp, isApiKey } from '@eaas/protocol/wire';
import { asWord, expiringApiKeys, readClock, Refusal, requireTenant } from '@eaas/server/internal';
import { operatorOf, reporting, withService } from './command.ts';
import { readLine } from './given-file.ts';
import { WrongUsage } from './kit/index.ts';
import { next, printResult, printResults } from './output.ts';
import { orNotFound } from './refusal.ts';
import { daysTo } from './values.ts';

export const identify = reporting(
  'identify',
  'Say whose a token is, such as one that was found in a log. Reads it from standard input, or asks for it: it is no ' +
    'argument, because other users of the machine and the history of the shell would see it.',
  ['api-key identify', 'api-key identify --revoke', 'api-key identify --json < token.txt'],
)
  .option('--revoke', 'also revoke the API key, immediately and permanently')
  .action(async (options) => {
    const given = process.stdin.isTTY ? await askHidden('The token: ') : await readLine('token');
    const token = given.trim();
    if (!isApiKey(token)) {
      throw new WrongUsage(
        'The token must be eaas_sk_ and 49 letters and digits, with a right checksum: pass all of it.',
      );
    }
    const found = await withService(async ({ service }) => {
      const owned = await service.tokens.find(createHash('sha256').update(token).digest('hex'));
      const unknown = 'No tenant has this API key: it is of another service, or its tenant was destroyed.';
      if (!owned) throw new Refusal('not_found', unknown);
      const { tenant } = await requireTenant(service, owned.tenantId);
      const route = `${options.revoke ? 'DELETE' : 'GET'} /v1/api-keys/:api_key_id` as const;
      const operator = operatorOf(service, owned.tenantId);
      const record = await orNotFound(unknown, operator.ask(route, { api_key_id: owned.id }));
      // Servers store the times of uses once a minute, and entries at once.
      const { logs } = await operator.ask('GET /v1/audit', { actor: owned.id, limit: 1 });
      const times = [record.last_used_at, logs[0]?.created_at ?? null].filter((time) => time !== null);
      const last_used_at = times.toSorted().at(-1) ?? null;
      return { tenant_id: tenant.tenant_id, tenant: tenant.name, ...record, last_used_at };
    });
    printResult(found, options);
    const { api_key_id, revoked_at } = found;
    const tenant = asWord(found.tenant);
    const step = revoked_at
      ? `\`eaas audit follow --tenant ${tenant} --once | grep ${api_key_id}\` shows what the API key did`
      : `\`eaas api-key revoke ${api_key_id} --tenant ${tenant}\` revokes it`;
    next(step, options);
  });

export const expiring = reporting(
  'expiring',
  'List the API keys of all tenants that expire soon, the earliest first. last_used_at lacks uses of the last minute.',
  ['api-key expiring', 'api-key expiring --days 30 --json'],
)
  .option('--days <number>', 'within this number of days', daysTo(36_500), 7)
  .action(async (options) => {
    const rows = await withService(async ({ service }) => {
      await readClock(service);
      const now = service.ledger.clock.now();
      return service.background.run(
        (sql) => expiringApiKeys(sql, now, now + options.days * 24 * 60 * 60 * 1_000),
        30_000,
      );
    });
    const timeOf = (time: number | null) => (time === null ? null : formatTimestamp(time));
    const shown = rows.map((row) =>
      Object.assign(row, { expires_at: timeOf(row.expires_at), last_used_at: timeOf(row.last_used_at) }),
    );
    printResults(shown, ['tenant', 'api_key_id', 'name', 'expires_at', 'last_used_at'], options);
  });

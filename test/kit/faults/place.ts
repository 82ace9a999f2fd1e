import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { readConfig } from '../../../packages/cli/src/config.ts';
import { migrateDatabase } from '../../../packages/server/src/app/migrate-database.ts';
import { openService } from '../../../packages/server/src/app/open-service.ts';
import type { TenantSettings } from '../../../packages/server/src/operator/tenants.ts';
import { eaas, type Environment, serve, type ServerProcess } from '../program.ts';
import { createDatabase, environmentOf, type TestDatabase } from '../database.ts';
import { type Resident, settle } from '../world.ts';
import { call, type Place } from './client.ts';

export type Tenant = Resident;

type NewTenant = TenantSettings & { readonly name?: string };

export type Operator = Awaited<ReturnType<typeof operate>>;

export type Replica = ServerProcess;

export type TestBase = Pick<TestDatabase, 'url' | 'connection' | 'drop'>;

export function connectTo({ connection }: TestBase): postgres.Sql {
  return postgres({ ...connection('superuser'), max: 2, onnotice: () => {} });
}

export function startReplica(env: Environment, program = eaas): Promise<Replica> {
  return serve({ EAAS_LOG_LEVEL: 'warn', ...env }, { program });
}

export async function startPair(given?: TestBase) {
  const database = given ?? (await createDatabase());
  const operator = await operate(database.url);
  const replicas = await Promise.all([startReplica(operator.env), startReplica(operator.env)]);
  const sql = connectTo(database);
  return {
    operator,
    replicas,
    sql,
    async end() {
      for (const replica of replicas) await replica.kill();
      await operator.close();
      await sql.end();
      await database.drop();
    },
  };
}

export async function someoneWaits(sql: postgres.Sql): Promise<void> {
  for (;;) {
    const { count } = await sql`
      select from pg_stat_activity where datname = current_database() and usename = 'eaas_server'
        and wait_event_type = 'Lock'`;
    if (count > 0) return;
    await sleep(5);
  }
}

export async function operate(url: Parameters<typeof environmentOf>[0], rootKey?: string) {
  const env = { ...environmentOf(url), ...(rootKey !== undefined && { EAAS_ROOT_KEY: rootKey }) };
  const config = readConfig(env);
  await migrateDatabase(config);
  const { service, close } = await openService(config, 'command');
  return {
    env,
    service,
    newTenant: ({ name = `tenant ${randomBytes(8).toString('hex')}`, ...fields }: NewTenant = {}) =>
      settle(service, name, fields),
    close,
  };
}

export interface Entry {
  readonly id: number;
  readonly action: string;
  readonly key_id: string | null;
  readonly actor: string;
  readonly key_version: number | null;
  readonly created_at: string;
  readonly metadata: { readonly context?: Record<string, string>; readonly outcome?: string };
}

export async function readLog(place: Place, { token }: Tenant): Promise<Entry[]> {
  type Page = { logs: Entry[]; total: number };
  const page = (offset: number) => call<Page>(place, token, 'GET', `/v1/audit?limit=100&offset=${offset}`);
  const { logs, total } = await page(0);
  const all = [...logs];
  for (let offset = 100; offset < total; offset += 800) {
    const offsets = Array.from({ length: 8 }, (_, nth) => offset + 100 * nth);
    const pages = await Promise.all(offsets.filter((one) => one < total).map(page));
    all.push(...pages.flatMap((one) => one.logs));
  }
  return all.toReversed();
}

export async function verify(place: Place, { token }: Tenant): Promise<Record<string, unknown>> {
  return call(place, token, 'GET', '/v1/audit/verify');
}

export async function newKey(place: Place, token: string): Promise<string> {
  const name = randomBytes(8).toString('hex');
  const { key_id } = await call<{ key_id: string }>(place, token, 'POST', '/v1/keys', { name });
  return key_id;
}

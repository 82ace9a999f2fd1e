import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { permissions } from '@eaas/protocol/wire';
import { insider } from '../../packages/server/src/caller.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { migrateDatabase } from '../../packages/server/src/migrate-database.ts';
import { openService, type OpenService } from '../../packages/server/src/open-service.ts';
import { createApiKey } from '../../packages/server/src/operations/create-api-key.ts';
import {
  createTenant,
  type TenantFields,
  updateTenant,
} from '../../packages/server/src/operations/tenants.ts';
import { createDatabase, type TestDatabase } from '../setup/database.ts';
import type { Environment } from '../conformance/program.ts';
import { call, type Place } from './client.ts';
import { kill, type Replica, startReplica } from './replica.ts';

/** A tenant, and a token of it that may do everything. */
export interface Tenant {
  readonly tenantId: string;
  readonly token: string;
  readonly apiKeyId: string;
}

/** The operator of a prepared database, who works in the test's own process. */
export interface Operator {
  readonly env: Environment;
  newTenant(fields?: Omit<TenantFields, 'name'>): Promise<Tenant>;
  setTenant(tenantId: string, fields: TenantFields): Promise<void>;
  close(): Promise<void>;
}

/** Two replicas on a database, with their operator and a superuser. */
export interface Pair {
  readonly operator: Operator;
  readonly replicas: readonly [Replica, Replica];
  readonly sql: postgres.Sql;
  end(): Promise<void>;
}

/** A database that tests may use as they like. */
export type TestBase = Pick<TestDatabase, 'url' | 'connection' | 'drop'>;

/** Two connections as superuser. */
export function connectTo({ connection }: TestBase): postgres.Sql {
  return postgres({ ...connection('superuser'), max: 2, onnotice: () => {} });
}

/** Starts two replicas on a database: unless one is given, one of the run's PostgreSQL. */
export async function startPair(given?: TestBase): Promise<Pair> {
  const database = given ?? (await createDatabase());
  const operator = await operate(database.url);
  const replicas = await Promise.all([startReplica(operator.env), startReplica(operator.env)]);
  const sql = connectTo(database);
  return {
    operator,
    replicas,
    sql,
    async end() {
      for (const replica of replicas) await kill(replica);
      await operator.close();
      await sql.end();
      await database.drop();
    },
  };
}

/**
 * Does some work while rows of a table can be read but not written, so that whoever writes one waits in the middle of a
 * transaction.
 */
export async function whileWritesWait<T>(
  sql: postgres.Sql,
  table: string,
  work: () => Promise<T>,
): Promise<T> {
  return (await sql.begin(async (tx) => {
    await tx`lock table ${tx(`eaas.${table}`)} in exclusive mode`;
    return work();
  })) as T;
}

/** The process of PostgreSQL that waits for such a lock on behalf of a server, once there is one. */
export async function someoneWaits(sql: postgres.Sql): Promise<number> {
  for (;;) {
    const [row] = await sql<{ pid: number }[]>`
      select pid from pg_stat_activity where datname = current_database() and usename = 'eaas_server'
        and wait_event_type = 'Lock'`;
    if (row) return row.pid;
    await sleep(5);
  }
}

/** Prepares an empty database, as its operator. */
export async function operate(url: (role: 'server' | 'owner') => string): Promise<Operator> {
  const env = {
    DATABASE_URL: url('server'),
    EAAS_MIGRATE_DATABASE_URL: url('owner'),
    EAAS_ROOT_KEY: randomBytes(32).toString('base64'),
  };
  const config = readConfig(env);
  await migrateDatabase(config);
  const open: OpenService = await openService(config, 'command');
  const { service } = open;
  return {
    env,
    async newTenant(fields = {}) {
      const name = `tenant ${randomBytes(8).toString('hex')}`;
      const { tenant_id } = await createTenant(service, { name, envelope_only: false, ...fields });
      const everything = { name: 'everything', permissions: [...permissions] };
      const { api_key, api_key_id } = await createApiKey(service, insider(tenant_id, 'operator'), everything);
      return { tenantId: tenant_id, token: api_key, apiKeyId: api_key_id };
    },
    async setTenant(tenantId, fields) {
      await updateTenant(service, tenantId, fields);
    },
    close: open.close,
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

/** The whole log, in the order of the chain. */
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

/** What `verify` says of the whole log. */
export async function verify(place: Place, { token }: Tenant): Promise<Record<string, unknown>> {
  return call(place, token, 'GET', '/v1/audit/verify');
}

export async function newKey(
  place: Place,
  token: string,
  name = randomBytes(8).toString('hex'),
): Promise<string> {
  const { key_id } = await call<{ key_id: string }>(place, token, 'POST', '/v1/keys', { name });
  return key_id;
}

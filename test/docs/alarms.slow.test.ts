// Every alarm of docs/operating/alarms.md fires once: Prometheus, started as the page says, watches real servers in trouble.
// Its clock is faster: a minute of a rule is 2 seconds (the unit tests of the rules have the real ones), and what it remembers
// of the last two days is what a calm server showed.
import { randomUUID } from 'node:crypto';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { rootKey } from '@eaas/service';
import { alone } from '@eaas/test-kit/alone';
import { alerts } from '@eaas/test-kit/alerts';
import { isInstalled, whereAvailable } from '@eaas/test-kit/available';
import { newIssuer } from '@eaas/test-kit/calls';
import { closing } from '@eaas/test-kit/closing';
import { createDatabase, withAdmin } from '@eaas/test-kit/database';
import { newDirectory } from '@eaas/test-kit/directory';
import { call, send } from '@eaas/test-kit/faults/client';
import { connectTo, newKey, operate, startReplica } from '@eaas/test-kit/faults/place';
import { freePort } from '@eaas/test-kit/free-port';
import { blocksOf, read, root } from '@eaas/test-kit/markdown';
import { eaas, eaasImporting, moduleOf, run } from '@eaas/test-kit/program';
import { newSignIn } from '@eaas/test-kit/sign-in';
import { openTerminal } from '@eaas/test-kit/terminal';
import { startWitness } from '@eaas/test-kit/witness';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { nightAt, recordNight } from '../../packages/server/src/jobs/verify-nightly.ts';
import { readCatalogue } from '../../packages/server/src/postgres/catalogue.ts';
import { recordCatalogue } from '../../packages/server/src/postgres/schema-records.ts';
import { openPool } from '../../packages/server/src/postgres/sql.ts';
import { expressions } from '../../packages/server/test/observability/dashboard.ts';

const hours = 3_600_000;
const day = 24 * hours;
const dek = Buffer.alloc(32).toString('base64');
const faster = (rules: string) =>
  rules
    .replaceAll('for: 1h', 'for: 15m')
    .replace(/\b(\d|1[05])m\b/g, (_, minutes) => `${Number(minutes) * 2}s`);

const folder = await newDirectory();
const terminal = await closing(openTerminal(folder), (it) => it.close());
const port = await freePort();
const prometheus = `http://127.0.0.1:${port}`;
const targets = new Set<string>();

interface Data {
  readonly result?: { readonly metric: { readonly alertname?: string } }[];
  readonly groups?: object[];
  readonly activeTargets?: { readonly health: string }[];
}

async function api(path: string): Promise<Data> {
  const response = await fetch(`${prometheus}/api/v1/${path}`).catch(() => undefined);
  return response?.ok ? ((await response.json()) as { data: Data }).data : {};
}
const query = async (text: string) => (await api(`query?query=${encodeURIComponent(text)}`)).result;
const fired = async () =>
  (await query('count by (alertname) (max_over_time(ALERTS{alertstate="firing"}[2h]))'))
    ?.map(({ metric }) => metric.alertname ?? '')
    .toSorted();

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await setTimeout(100);
}

/** Changes the servers that Prometheus watches, and waits until it has seen them. */
async function watch(change: () => unknown): Promise<void> {
  change();
  await writeFile(join(folder, 'targets.json'), JSON.stringify([{ targets: [...targets] }]));
  await until(async () => {
    const { activeTargets } = await api('targets');
    return activeTargets?.length === targets.size && activeTargets.every(({ health }) => health === 'up');
  });
}

/** A database with a tenant, and servers on it, which Prometheus watches until the test ends. */
async function deployment() {
  const database = await createDatabase();
  const { env, close, ...operator } = await operate(database.url);
  const sql = await closing(connectTo(database), (it) => it.end());
  const { token } = await operator.newTenant({ name: 'acme' });
  // As if the nights before had been verified.
  await recordNight(operator.service, alone(), nightAt(Date.now()) - 2, 0);
  await close();
  const { name } = database;
  /** Starts a server. Returns a function that sends it requests of the tenant. */
  const serve = async (more = {}, program = eaas) => {
    const server = await closing(startReplica({ ...env, ...more }, program), (it) => it.kill());
    const address = `127.0.0.1:${server.port}`;
    await watch(() => targets.add(address));
    onTestFinished(() => watch(() => targets.delete(address)));
    const ask = (method: string, path: string, body?: object) => send(server, token, method, path, body);
    return Object.assign(ask, { ...server, newKey: () => newKey(server, token) });
  };
  /** Changes the database from outside, before and after all connections to it were ended. */
  const change = (before: readonly string[], after: readonly string[] = []) =>
    withAdmin(database.connection('superuser'), async (admin) => {
      for (const statement of before) await admin.unsafe(statement);
      await admin`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = ${name}`;
      for (const statement of after) await admin.unsafe(statement);
    });
  /** As a later step may: servers start beside other functions than theirs. */
  const setClock = async (ahead: number) => {
    await sql.unsafe(`insert into eaas.steps values (99) on conflict do nothing;
      delete from eaas.schema_records where step = 99;
      create or replace function eaas.now_ms() returns bigint language sql volatile
      as 'select (extract(epoch from clock_timestamp()) * 1000)::bigint + ${ahead}'`);
    const root = rootKey(Buffer.from(env.EAAS_ROOT_KEY, 'base64'));
    const pool = openPool(database.connection('superuser'), 1);
    await recordCatalogue(pool, 99, [root], await readCatalogue(pool));
    await pool.end();
  };
  /** Begins a public log with one witness. */
  const publish = async () => {
    const { stdout } = await run([...eaas, 'log', 'init', '--origin', 'eaas.example/log', '--json'], env);
    const witness = await startWitness('north');
    const { policy_line: line } = JSON.parse(stdout) as { policy_line: string };
    const policy = join(folder, `${name}.txt`);
    await writeFile(policy, `${line}\nwitness w ${witness.vkey} ${witness.url}\nquorum w\n`);
    return { witness, env: { EAAS_LOG_POLICY_FILE: policy, EAAS_LOG_INTERVAL: '10' } };
  };
  return { name, url: database.url, env, sql, token, serve, change, setClock, publish };
}

type Deployment = Awaited<ReturnType<typeof deployment>>;
/** Brings a deployment into trouble. Returns what goes on until the alarm fires. */
type Trouble = (it: Deployment) => Promise<(() => unknown) | undefined | void>;

const clockAt = (ahead: number) =>
  eaasImporting(moduleOf(`const now = Date.now; Date.now = () => now() + ${ahead};`));

const expiresIn =
  (time: number): Trouble =>
  async ({ token, env, serve }) => {
    const used = await startReplica(env);
    const expires_at = new Date(Date.now() + time).toISOString();
    const body = { name: 'soon', permissions: ['keys.read'], expires_at };
    const { api_key } = await call<{ api_key: string }>(used, token, 'POST', '/v1/api-keys', body);
    await call(used, api_key, 'GET', '/v1/keys');
    await used.stop();
    await serve();
  };

/** All clocks are slow, so that the newest success of each job is as old. */
const stoodStill =
  (ago: number, before: Trouble = async () => {}): Trouble =>
  async (it) => {
    await before(it);
    await it.setClock(-ago);
    await it.serve({}, clockAt(-ago));
  };

/** What goes wrong, and the alarms that fire: these and no others. */
const troubles: Readonly<Record<string, Trouble>> = {
  'an API key in use expires in three days: EaasApiKeysExpire': expiresIn(3 * day),

  'an API key in use expires in twelve hours: EaasApiKeyExpiresNow': expiresIn(day / 2),

  async 'somebody changes the row of an API key: EaasTamperingFound'({ sql, serve }) {
    const ask = await serve();
    await sql`update eaas.api_keys set name = 'mine'`;
    return () => ask('GET', '/v1/keys');
  },

  async 'somebody changes the row of a tenant, whose calls get 503: EaasRequestsFail'({ sql, serve }) {
    const ask = await serve();
    await sql`update eaas.tenants set name = 'mine'`;
    return () => ask('GET', '/v1/keys');
  },

  async 'somebody says that a later version has migrated the database: EaasSchemaUnknown'({ sql, serve }) {
    await sql`insert into eaas.steps values (99)`;
    await serve();
  },

  async 'a job fails again and again: EaasJobFails'({ sql, serve }) {
    await serve();
    await sql`revoke all on eaas.leases from eaas_server`;
  },

  async 'the clock of a server is 45 seconds ahead: EaasClocksDisagree'({ serve }) {
    await serve({}, clockAt(45_000));
  },

  async 'the database is read-only: EaasAuditUnwritten EaasNotReady'({ name, serve, change }) {
    const ask = await serve();
    await change([`alter database ${name} set default_transaction_read_only = on`]);
    return () => ask('POST', '/v1/keys', { name: randomUUID() });
  },

  async 'a server is killed: EaasServerDown'({ serve }) {
    await (await serve()).kill();
  },

  async 'many tenants wait for a lock: EaasAdmissionRefused EaasConnectionsSaturated'(it) {
    const operator = await operate(it.url, it.env.EAAS_ROOT_KEY);
    const tenants = await Promise.all(Array.from({ length: 30 }, () => operator.newTenant()));
    await operator.close();
    const ask = await it.serve();
    const locking = await it.sql.reserve();
    await locking.unsafe('begin; lock table eaas.audit_heads in exclusive mode');
    onTestFinished(async () => {
      await locking.unsafe('rollback');
      locking.release();
    });
    return () => {
      for (const { token } of tenants) void send(ask, token, 'POST', '/v1/keys', { name: randomUUID() });
    };
  },

  async 'a program unwraps a lot: EaasTenantUnwrapSpike EaasUnwrapSpike'({ serve }) {
    const ask = await serve();
    const key_id = await ask.newKey();
    const { wrapped_key } = (await ask('POST', `/v1/keys/${key_id}/wrap`, { dek })).body;
    const items = Array.from({ length: 30 }, () => ({ key_id, wrapped_key }));
    return () => ask('POST', '/v1/batch/unwrap', { items });
  },

  async 'a sign-in has its keys on a host that is not allowed: EaasKeyHostDown'({ env, token, serve }) {
    const allowing = await startReplica({ ...env, EAAS_ISSUER_HOSTS: '127.0.0.1:1' });
    const issuer = { ...newIssuer(await newKey(allowing, token)), jwks_uri: 'http://127.0.0.1:1/keys' };
    const { body } = await send(allowing, token, 'POST', '/v1/issuers', { ...issuer, jwks: undefined });
    await allowing.kill();
    const place = { port: (await serve()).port, issuerId: String(body['issuer_id']) };
    return () => send(place, newSignIn().token('ada'), 'GET', '/v1/keys');
  },

  async 'a backup is restored under a server: EaasLogWentBack EaasPublicLogStopped'(it) {
    const log = await it.publish();
    const { name } = it;
    await it.change([], [`create database ${name}_backup template ${name}`]);
    const ask = await it.serve(log.env);
    await ask.newKey();
    await expect.poll(() => log.witness.signed.length).toBeGreaterThan(0);
    const rename = (from: string, to: string) => `alter database ${name}${from} rename to ${name}${to}`;
    const close = `alter database ${name} allow_connections false`;
    await it.change([close], [rename('', '_lost'), rename('_backup', '')]);
    return () => ask.newKey().catch(() => {});
  },

  'all jobs stand still for four hours: EaasJobOverdue': stoodStill(4 * hours),

  async 'the only witness signs nothing for two hours: EaasPublicLogUnwitnessed EaasWitnessFails'(it) {
    const log = await it.publish();
    log.witness.instead = (_, response) => void response.writeHead(500).end();
    await it.setClock(2 * hours);
    const ask = await it.serve(log.env);
    return () => ask('POST', '/v1/keys', { name: randomUUID() });
  },

  'nothing is verified for 40 hours: EaasNotVerified': stoodStill(40 * hours, async ({ sql }) => {
    await sql`delete from eaas.verifications`;
  }),

  async 'somebody has changed an entry: EaasAuditChainBroken'({ sql, serve }) {
    await sql`alter table eaas.audit_entries disable trigger audit_entries_immutable`;
    await sql`update eaas.audit_entries set actor = 'nobody'`;
    await sql`alter table eaas.audit_entries enable always trigger audit_entries_immutable`;
    await serve();
  },

  async 'a key with 10,000 versions is due for rotation: EaasRotationsSkipped'({ serve, setClock }) {
    const ask = await serve();
    const { body } = await ask('POST', '/v1/keys', { name: 'old', rotation_policy: { interval_days: 1 } });
    const rotate = () => ask('POST', `/v1/keys/${String(body['key_id'])}/rotate`);
    for (let round = 0; round < 200; round++) await Promise.all(Array.from({ length: 50 }, rotate));
    await setClock(2 * day);
  },

  async 'the database has grown by 30 GB: EaasDatabaseGrows'({ name, sql, serve }) {
    // A file without content, where PostgreSQL counts it. The program reads its input to the end, as PostgreSQL expects.
    const [place] = await sql<{ path: string }[]>`
      select current_setting('data_directory') || '/base/' || oid as path from pg_database where datname = ${name}`;
    await sql.unsafe(`copy (select) to program 'cat > /dev/null && truncate -s 30G ${place?.path}/sparse'`);
    await serve();
  },
};

whereAvailable('Prometheus', isInstalled('prometheus') && isInstalled('promtool'), () => {
  beforeAll(async () => {
    await cp(join(root, 'examples/observability'), folder, { recursive: true });
    const config = read('examples/observability/prometheus.yml')
      .replace('scrape_interval: 15s', 'scrape_interval: 3s')
      .replace('evaluation_interval: 15s', 'evaluation_interval: 1s');
    const watched = 'file_sd_configs: [{ files: [targets.json], refresh_interval: 1s }]\n';
    await writeFile(join(folder, 'prometheus.yml'), config.replace(/static_configs:[^]*/, watched));
    await writeFile(join(folder, 'alerts.yml'), faster(read('examples/observability/alerts.yml')));
    await writeFile(join(folder, 'targets.json'), '[]');
    await writeFile(join(folder, 'history.txt'), await history());
    const [install = '', check = ''] = blocksOf(read('docs/operating/alarms.md'), 'sh');
    const [, checkConfig = '', start = ''] = install.trim().split('\n');
    const fill = 'promtool tsdb create-blocks-from openmetrics history.txt data';
    const { failed, output } = await terminal.type([fill, checkConfig, check].join('\n'));
    if (failed.length > 0) throw new Error(output);
    await terminal.type(`${start.replace(':9090', `:${port}`)} > prometheus.log 2>&1 &`);
    await until(async () => (await query('vector(1)')) !== undefined);
  });

  /** What a calm server shows, as Prometheus would have scraped it every four minutes for 49 hours. */
  async function history(): Promise<string> {
    const database = await createDatabase();
    const operator = await operate(database.url);
    await operator.newTenant();
    const server = await startReplica(operator.env);
    let page = '';
    await until(async () => {
      page = await (await fetch(`${server.baseUrl}/metrics`)).text();
      return /^eaas_database_size_bytes [1-9]/m.test(page);
    });
    await Promise.all([server.kill(), operator.close()]);
    await database.drop();
    const series = page.match(/^eaas_(?:audit_actions_total|busiest_tenant_unwraps|database_size).*/gm) ?? [];
    const now = Math.floor(Date.now() / 1_000);
    const times = Array.from({ length: 730 }, (_, nth) => now - 600 - (729 - nth) * 240);
    return [...series.flatMap((line) => times.map((time) => `${line} ${time}`)), '# EOF\n'].join('\n');
  }

  test('a calm server makes no alarm fire, and answers all queries of the dashboard', async () => {
    const ask = await (await deployment()).serve();
    await ask('POST', `/v1/keys/${await ask.newKey()}/wrap`, { dek });
    const done = 'count(eaas_job_last_success_timestamp_seconds > 0)';
    await expect.poll(async () => JSON.stringify(await query(done))).toContain('"7"');
    expect((await api('rules')).groups).toMatchObject([{ rules: alerts.map(({ name }) => ({ name })) }]);
    for (const expression of expressions) expect(await query(expression)).toBeInstanceOf(Array);
    expect(await query('this is not a query')).toBeUndefined();
    expect(await fired()).toEqual([]);
  });

  test.each(Object.entries(troubles))('%s', async (title, trouble) => {
    const alarms = title.match(/Eaas\w+/g) ?? [];
    const before = (await fired()) ?? [];
    expect(before).toEqual(expect.not.arrayContaining(alarms));
    const goOn = await trouble(await deployment());
    const all = [...before, ...alarms].toSorted();
    await expect
      .poll(async () => (await goOn?.(), fired()), { timeout: 250_000, interval: 250 })
      .toEqual(all);
  });

  test('every alarm has fired', async () => {
    expect(await fired()).toEqual(alerts.map(({ name }) => name).toSorted());
  });
});

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../packages/cli/src/config.ts';
import { migrateDatabase } from '../../packages/server/src/app/migrate-database.ts';
import type { CopyReport } from '../../packages/fleet/src/copy/copy-database.ts';
import { createTransport } from '../../packages/sdk/src/transport/transport.ts';
import { jsonLines } from '@eaas/test-kit/command-line';
import { eaas, type Environment, launch, run } from '@eaas/test-kit/program';
import { call } from '@eaas/test-kit/faults/client';
import { Load, longest, newDek, type Sent, tally } from '@eaas/test-kit/faults/load';
import { newKey, type Operator, type Replica, type Tenant } from '@eaas/test-kit/faults/place';
import { proxyTo } from '@eaas/test-kit/faults/two-upstreams';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import type { Report } from './compare.ts';
import { openOperator, startDeferred } from './open-operator.ts';
import { median } from '@eaas/test-kit/statistics';

const entries = Number(process.env['COPY_ENTRIES'] ?? 200_000);
const others = 50;
const batch = 1_000;

export const benchmark: Report = {
  name: 'copy',
  about: `eaas database copy of ${others + 1} tenants, one with ${entries.toLocaleString('en')} entries, under load`,
  async *report(defer) {
    const { postgres: from, ...operator } = await openOperator(defer, 'installed');
    const to = await OwnPostgres.start('embedded');
    defer(to.drop);
    yield `from PostgreSQL ${from.binaries.version} to PostgreSQL ${to.binaries.version}`;
    const target = { ...operator.env, EAAS_DATABASE_URL: to.url('server') };
    await migrateDatabase(readConfig({ ...target, EAAS_MIGRATE_DATABASE_URL: to.url('owner') }));
    const former = await startDeferred(defer, operator.env);
    const large = await fill(operator, former);
    const small = await operator.newTenant();
    for (let nth = 1; nth < others; nth++) await operator.newTenant();

    const command = { ...operator.env, EAAS_COPY_TO_DATABASE_URL: to.url('server') };
    const idle = await copy(command);
    yield `copy and verification without load: ${seconds(idle.time)}`;
    const later = await startDeferred(defer, target);
    const upstreams = await proxyTo([former, later]);
    defer(() => upstreams.close());
    const loads: Load[] = [];
    for (const { token } of [large, small]) {
      const keyId = await newKey(former, token);
      loads.push(new Load({ places: [upstreams], token, keyId, workers: 2, changes: true }));
    }
    const again = await copy(command);
    yield `second copy, under load: ${seconds(again.time)}`;
    const moved = await copy(command, '--move');
    yield `move, under load: ${seconds(moved.time)}`;
    const sent = await stop(loads);
    yield closed('the large tenant was', moved.reports, ({ tenant_id }) => tenant_id === large.tenantId);
    yield closed('the other tenants were', moved.reports, ({ tenant_id }) => tenant_id !== large.tenantId);
    yield `responses to clients: ${JSON.stringify(tally(sent))}; longest request: ${Math.round(longest(sent))} ms`;
    yield `responses of the former and the later server: ${JSON.stringify(upstreams.statuses)}`;
    const verified = await run([...eaas, 'audit', 'verify'], target);
    yield `audit verify in the target exits with ${verified.code}`;

    const back = { ...target, EAAS_COPY_TO_DATABASE_URL: from.url('server') };
    await copy(back);
    const keyId = await newKey(later, large.token);
    const calls = callUntil(later.port, large.token, keyId);
    const movedAt = performance.now();
    await copy(back, '--move');
    yield `move back, without a proxy: ${seconds(performance.now() - movedAt)}`;
    const stoppedAt = performance.now();
    await later.stop();
    await startDeferred(defer, { ...operator.env, EAAS_PORT: String(later.port) });
    yield `stop of the former server and start of the new one on its port: ${seconds(performance.now() - stoppedAt)}`;
    await sleep(2_000);
    yield `calls of the SDK with 10 retries: ${await calls.stop()}`;
  },
};

async function fill({ newTenant }: Operator, replica: Replica): Promise<Tenant> {
  const tenant = await newTenant();
  const keyId = await newKey(replica, tenant.token);
  const items = Array.from({ length: batch }, () => ({ key_id: keyId, dek: newDek() }));
  for (let count = 0; count < entries; count += batch) {
    await call(replica, tenant.token, 'POST', '/v1/batch/wrap', { items });
  }
  return tenant;
}

async function copy(env: Environment, ...options: string[]) {
  const start = performance.now();
  const { child, stdout, stderr } = launch([...eaas, 'database', 'copy', '--json', ...options], env);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`\`eaas database copy\` failed (${code}):\n${stdout()}${stderr()}`);
  return { time: performance.now() - start, reports: jsonLines<CopyReport>(stdout()) };
}

function callUntil(port: number, token: string, keyId: string) {
  const baseUrl = `http://127.0.0.1:${port}`;
  const headers = { authorization: `Bearer ${token}` };
  const wrap = createTransport(
    { baseUrl, retries: 10 },
    (_, input, send) => send(headers, input),
    () => {},
  );
  const times: number[] = [];
  let failed = 0;
  const stopped = new AbortController();
  const repeat = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const start = performance.now();
      await wrap('POST /v1/keys/:key_id/wrap', { key_id: keyId, dek: newDek() }).catch(() => failed++);
      times.push(performance.now() - start);
    }
  };
  const running = Promise.all([repeat(), repeat()]);
  return {
    async stop() {
      stopped.abort();
      await running;
      return `${times.length}, ${failed} failed, the longest took ${seconds(Math.max(...times))}`;
    },
  };
}

async function stop(loads: readonly Load[]): Promise<readonly Sent[]> {
  return (await Promise.all(loads.map((load) => load.stop()))).flat();
}

function closed(who: string, reports: readonly CopyReport[], isChosen: (report: CopyReport) => boolean) {
  const times = reports.filter(isChosen).map(({ closed_ms: time }) => time ?? 0);
  return `${who} locked or closed for ${median(times)} ms (median) and ${Math.max(...times)} ms (longest)`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}

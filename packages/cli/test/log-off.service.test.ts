import { commandLine } from '@eaas/test-kit/command-line';
import { serve } from '@eaas/test-kit/program';
import { openPool } from '@eaas/test-kit/server';
import { expect, onTestFinished, test } from 'vitest';

test('without a policy, a server touches no table of the public log, and serves none', async () => {
  const eaas = await commandLine();
  await eaas.json('log', 'init', '--origin', 'eaas.example/log');
  await eaas.json('tenant', 'create', '--name', 'ann');
  const sql = openPool(eaas.database.connection('superuser'), 1);
  onTestFinished(() => sql.end());
  // A connection reports what it did when it ends.
  const sessions = () => sql`
    select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend'`;
  const touched = async () => [
    ...(await sql`
      select relname, seq_scan, idx_scan, n_tup_ins, n_tup_upd from pg_stat_user_tables
      where schemaname = 'eaas' and starts_with(relname, 'log_') order by relname`),
  ];
  await expect.poll(sessions).toHaveLength(0);
  const before = await touched();
  expect(before).toHaveLength(4);
  const server = await serve(eaas.env);
  const get = (path: string) => fetch(`http://127.0.0.1:${server.port}${path}`);
  await expect.poll(async () => (await get('/readyz')).status).toBe(200);
  expect((await get('/log/checkpoint')).status).toBe(404);
  expect(await (await get('/metrics')).text()).not.toContain('eaas_log_');
  await expect
    .poll(async () => (await get('/metrics')).text())
    .toMatch(/^eaas_job_last_success_timestamp_seconds\{job="purge"\} [1-9]/m);
  await server.stop();
  await expect.poll(sessions).toHaveLength(0);
  expect(await touched()).toEqual(before);
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLine } from '@eaas/test-kit/command-line';
import { newDirectory } from '@eaas/test-kit/directory';
import { serve } from '@eaas/test-kit/program';
import { openPool } from '@eaas/test-kit/server';
import { expect, onTestFinished, test } from 'vitest';

test('after a server was killed in the middle of a moment, the next one makes it whole', async () => {
  const eaas = await commandLine();
  const [log] = await eaas.json<{ policy_line: string }>('log', 'init', '--origin', 'eaas.example/log');
  await eaas.json('tenant', 'create', '--name', 'ann');
  const file = join(await newDirectory(), 'log.policy');
  await writeFile(file, `${log?.policy_line}\nquorum none\n`);
  const env = { ...eaas.env, EAAS_LOG_POLICY_FILE: file, EAAS_LOG_INTERVAL: '10' };
  const sql = openPool(eaas.database.connection('superuser'), 1);
  onTestFinished(() => sql.end());
  await sql.unsafe(`
    create function eaas.wait() returns trigger language plpgsql as $$ begin perform pg_sleep(60); return new; end $$;
    create trigger waits before insert on eaas.log_proofs for each row execute function eaas.wait()`);

  const killed = await serve(env);
  const waiting = () =>
    sql`select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
  await expect.poll(async () => (await waiting()).length).toBe(1);
  await killed.kill();
  // PostgreSQL would notice only after the statement that the client is gone.
  for (const { pid } of await waiting()) await sql`select pg_terminate_backend(${pid as number})`;
  await sql`drop trigger waits on eaas.log_proofs`;
  expect(await sql`select from eaas.log_tiles union all select from eaas.log_moments`).toHaveLength(0);

  // The lease of the killed server ends after a minute.
  const server = await serve(env);
  onTestFinished(async () => {
    await server.kill();
  });
  const read = (path: string) => fetch(`http://127.0.0.1:${server.port}/log/${path}`);
  await expect.poll(async () => (await read('checkpoint')).status, { interval: 500 }).toBe(200);
  expect(await (await read('checkpoint')).text()).toMatch(/^eaas\.example\/log\n1\n/);
  const [status] = await eaas.json('log', 'status');
  expect(status).toMatchObject({ size: 1, halted: null });
});

import { openPool } from '@eaas/test-kit/server';
import { expect, test } from 'vitest';
import { type CommandLine, commandLine, jsonLines } from '@eaas/test-kit/command-line';
import { serve } from '@eaas/test-kit/program';

const eaas = await commandLine();

async function examined(program: CommandLine) {
  const { code, stdout, stderr } = await program('doctor', '--json');
  const findings = jsonLines<Record<'check' | 'status' | 'message', string>>(stdout);
  const statuses = Object.fromEntries(findings.map(({ check, status }) => [check, status]));
  const messages = findings.map(({ message }) => message).join('\n');
  return { code, stderr, statuses, messages };
}

// To save time, the tests run PostgreSQL without durability, so doctor reports the durability settings as failed.
const fast = { fsync: 'failed', full_page_writes: 'failed', synchronous_commit: 'failed' };

test('doctor reports database settings that can lose commits', async () => {
  const { code, stderr, statuses, messages } = await examined(eaas);
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(statuses).toEqual({
    listening: 'ok',
    port: 'ok',
    database_tls: 'ok',
    database: 'ok',
    ...fast,
    disk: 'ok',
    clock: 'ok',
    schema: 'ok',
    role: 'ok',
    grants: 'ok',
    root_key: 'ok',
    owner: 'ok',
  });
  expect(messages).toContain('Set fsync = on.');
  const table = await eaas('doctor');
  expect(table.code).toBe(1);
  expect(table.stdout).toMatch(/^status +check +message\n[^]*^failed +fsync +fsync is off/m);
});

test('doctor says how many appends the server that has the port had to repeat', async () => {
  const server = await serve(eaas.env);
  const { statuses, messages } = await examined(eaas.with({ EAAS_PORT: String(server.port) }));
  expect(statuses).toMatchObject({ port: 'ok' });
  expect(messages).toContain('other servers made it repeat 0 appends.');
  await server.stop();
});

test('doctor warns about the role that owns the tables, and fails for a superuser', async () => {
  const owner = await examined(eaas.with({ EAAS_DATABASE_URL: eaas.database.url('owner') }));
  expect(owner.statuses).toMatchObject({ role: 'warning', root_key: 'ok' });
  const superuser = await examined(eaas.with({ EAAS_DATABASE_URL: eaas.database.url('superuser') }));
  expect(superuser.statuses).toMatchObject({ role: 'failed' });
});

test('doctor finds a read-only database, a role that cannot append audit entries, and what somebody added', async () => {
  const readOnly = new URL(eaas.database.url('server'));
  readOnly.searchParams.set('default_transaction_read_only', 'on');
  const refused = await examined(eaas.with({ EAAS_DATABASE_URL: readOnly.href }));
  expect(refused.statuses).toMatchObject({ database: 'failed', schema: 'ok' });
  expect(refused.messages).toContain('The database accepts no changes.');

  const own = await commandLine();
  const owner = openPool(own.database.connection('owner'), 1);
  await owner`revoke insert on eaas.audit_entries from eaas_server`;
  await owner`create view eaas.report as select name from eaas.keys`;
  await owner.end();
  const { statuses, messages } = await examined(own);
  expect(statuses).toMatchObject({ database: 'ok', schema: 'ok', role: 'failed' });
  expect(messages).toContain('Beside it, the database has: view eaas.report.');
  expect(messages).toContain('or not write audit entries: run `eaas migrate`');
  await own.json('migrate');
  expect((await examined(own)).statuses).toMatchObject({ role: 'ok' });
});

test('doctor finds a trigger of somebody, warns of one that EAAS_SCHEMA_ALLOW names, and of rights of everybody', async () => {
  const own = await commandLine();
  const owner = openPool(own.database.connection('superuser'), 1);
  await owner.unsafe(`
    create function public.copy() returns trigger language plpgsql as $$ begin return new; end $$;
    create trigger "my copy" after insert on eaas.keys for each row execute function public.copy();
    grant select, insert on eaas.api_keys to public;
    grant execute on function eaas.purge_entries to public`);
  await owner.end();

  const refused = await examined(own);
  expect(refused.statuses).toMatchObject({ schema: 'failed' });
  expect(refused.messages).toContain('`drop trigger "my copy" on eaas.keys` takes it away');

  const allowed = await examined(own.with({ EAAS_SCHEMA_ALLOW: 'another, my copy' }));
  expect(allowed.statuses).toMatchObject({ schema: 'warning', grants: 'warning' });
  expect(allowed.messages).toContain('EAAS_SCHEMA_ALLOW admits in the schema: trigger eaas.keys.my copy.');
  expect(allowed.messages).toContain(
    'EXECUTE on function eaas.purge_entries; INSERT, SELECT on table eaas.api_keys',
  );
  expect(allowed.messages).toContain('`revoke all on table eaas.api_keys from public`');
});

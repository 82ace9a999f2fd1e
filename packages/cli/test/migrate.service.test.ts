import { expect, test } from 'vitest';
import { commandLine, refusalOf } from '@eaas/test-kit/command-line';

const eaas = await commandLine(null);

test('two concurrent migrations prepare the database once', async () => {
  const both = await Promise.all([eaas.json('migrate'), eaas.json('migrate')]);
  expect(both.flat()).toEqual(
    expect.arrayContaining([
      { applied: expect.any(Number) as number, server_role: 'eaas_server' },
      { applied: 0, server_role: 'eaas_server' },
    ]),
  );
  expect(await eaas.json('migrate')).toEqual([{ applied: 0, server_role: 'eaas_server' }]);
  const { stdout, stderr } = await eaas('migrate');
  expect(stdout).toMatch(/^applied +0\nserver_role +eaas_server\n$/);
  expect(stderr).not.toContain('Next:');
});

test('migrate warns if the server role would own the tables', async () => {
  const owner = eaas.database.url('owner');
  const { code, stderr } = await eaas.with({ EAAS_DATABASE_URL: owner })('migrate', '--json');
  expect(code).toBe(0);
  expect(stderr).toContain('Warning: the server would run as the owner of the tables.');
});

test('migrate names a missing server role and prints the SQL that creates the role', async () => {
  const url = eaas.database.url('server').replace('eaas_server', 'no%20body');
  const stderr = await refusalOf(eaas.with({ EAAS_DATABASE_URL: url })('migrate'), 3);
  expect(stderr).toContain('The role "no body" of EAAS_DATABASE_URL does not exist.');
  expect(stderr).toContain(`create role "no body" login password '…';`);
});

test('if the role that runs migrate does not own the database, migrate names the variable to set', async () => {
  expect(
    await refusalOf(eaas.with({ EAAS_MIGRATE_DATABASE_URL: eaas.database.url('server') })('migrate'), 3),
  ).toContain('set EAAS_MIGRATE_DATABASE_URL');
});

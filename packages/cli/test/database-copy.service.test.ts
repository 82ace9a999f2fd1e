import { openPool } from '@eaas/test-kit/server';
import { expect, test } from 'vitest';
import { migrated, testDatabase } from '@eaas/test-kit/database';
import { eaas as program, run } from '@eaas/test-kit/program';
import { commandLine } from '@eaas/test-kit/command-line';

const eaas = await commandLine();
const target = await testDatabase(migrated);
const toTarget = eaas.with({ EAAS_COPY_TO_DATABASE_URL: target.url('server') });
await eaas.json('tenant', 'create', '--name', 'acme');

test('database copy without a target names the variable to set', async () => {
  const { code, stderr } = await eaas('database', 'copy');
  expect(code).toBe(3);
  expect(stderr).toContain(
    'EAAS_COPY_TO_DATABASE_URL is not set: set it to the URL of the database that receives the copy',
  );
});

test('if the target database is not migrated, `eaas database copy` names its variable and `eaas migrate`', async () => {
  const empty = await testDatabase();
  const to = eaas.with({ EAAS_COPY_TO_DATABASE_URL: empty.url('server') });
  const { code, stderr } = await to('database', 'copy');
  expect(code).toBe(3);
  expect(stderr).toContain('The database of EAAS_COPY_TO_DATABASE_URL cannot be used.');
  expect(stderr).toContain('run `eaas migrate` first');
});

test('if the databases have different root keys, database copy names the ids of both', async () => {
  const other = await commandLine();
  await other.json('tenant', 'create', '--name', 'other');
  const to = eaas.with({ EAAS_COPY_TO_DATABASE_URL: other.database.url('server') });
  const { code, stderr } = await to('database', 'copy');
  expect(code).toBe(3);
  expect(stderr).toContain(
    'The database of EAAS_COPY_TO_DATABASE_URL cannot be used. The root key does not open',
  );
  expect(stderr).toMatch(
    /needs the root key with the id [\da-f]{16}, and the given key has the id [\da-f]{16}/,
  );
});

test('database copy to a database with a later schema prints both versions', async () => {
  const later = await testDatabase(migrated);
  const owner = openPool(later.url('owner'), 1);
  await owner`insert into eaas.migrations (version) select max(version) + 1 from eaas.migrations`;
  await owner.end();
  const to = eaas.with({ EAAS_COPY_TO_DATABASE_URL: later.url('server') });
  const { code, stderr } = await to('database', 'copy');
  expect(code).toBe(3);
  expect(stderr).toMatch(
    /The schema of the target database must have version (\d+) \(got \d+\)\. Migrate both databases/,
  );
});

test('if the target database is unreachable, database copy exits with 3 and does not print the password', async () => {
  const url = 'postgres://someone:hunter2@127.0.0.1:1/eaas';
  const { code, stderr } = await eaas.with({ EAAS_COPY_TO_DATABASE_URL: url })('database', 'copy');
  expect(code).toBe(3);
  expect(stderr).toMatch(/cannot be used\. The database cannot be reached or used: [^\n]+\n$/);
  expect(stderr).not.toContain('hunter2');
});

test('database copy --move fails if the source and the target are the same database', async () => {
  const to = eaas.with({ EAAS_COPY_TO_DATABASE_URL: eaas.database.url('server') });
  const { code, stdout } = await to('database', 'copy', '--move');
  expect(code).toBe(1);
  expect(stdout).toContain('is open in both databases, and only one database may serve a tenant');
});

test('database copy does not exit with 0 if its reader closes the pipe before all tenants are copied', async () => {
  const line = `${program.map((word) => `'${word}'`).join(' ')} database copy`;
  const { stderr } = await run(['bash', '-c', `(${line}; echo "exit $?" >&2) | true`], toTarget.env);
  expect(stderr).toMatch(/exit 1\n$/);
});

test('after database copy --move, only the target serves the tenant', async () => {
  const copied = await toTarget('database', 'copy');
  expect(copied).toMatchObject({ code: 0 });
  expect(copied.stdout).toMatch(/^acme \(.{36}\): copied, up to entry 0\n$/);
  expect(copied.stderr).toContain('Next: `eaas database copy --move`');
  const [moved] = await toTarget.json('database', 'copy', '--move');
  expect(moved).toEqual({
    tenant_id: expect.stringMatching(/^[\da-f-]{36}$/) as string,
    name: 'acme',
    state: 'moved',
    entry_id: 0,
    closed_ms: expect.any(Number) as number,
    reason: null,
  });
  const create = await eaas('key', 'create', '--tenant', 'acme', '--name', 'patients');
  expect(create.code).toBe(3);
  expect(create.stderr).toContain('This database does not serve the tenant');
  for (const which of [[], ['--tenant', 'acme'], ['--json']]) {
    const verify = await eaas('audit', 'verify', ...which);
    expect(verify).toMatchObject({ code: 3, stdout: '' });
    expect(verify.stderr).toContain(
      'was not verified, because `eaas database copy` has moved it from this database to another one. Set EAAS_DATABASE_URL',
    );
  }
  const there = eaas.with({ EAAS_DATABASE_URL: target.url('server') });
  expect((await there('key', 'create', '--tenant', 'acme', '--name', 'patients')).code).toBe(0);
  expect((await there('audit', 'verify')).stdout).toContain('valid, 1 entries checked');
  const warning = 'This command erases only the copy.';
  const destroyed = await eaas('tenant', 'destroy', 'acme', '--confirm', 'acme');
  expect(destroyed).toMatchObject({ code: 0, stderr: expect.stringContaining(warning) });
  expect((await there('tenant', 'show', 'acme')).code).toBe(0);
  const ownerThere = there.with({ EAAS_MIGRATE_DATABASE_URL: target.url('owner') });
  const erased = await ownerThere('tenant', 'destroy', 'acme', '--confirm', 'acme');
  expect(erased).toMatchObject({ code: 0, stderr: expect.not.stringContaining(warning) });
});

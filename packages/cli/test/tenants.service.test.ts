import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { eaasImporting, inherited, moduleOf, run } from '@eaas/test-kit/program';
import { atTerminal, commandLine, inTerminal, jsonLines, refusalOf } from '@eaas/test-kit/command-line';
import { only, type TenantRecord } from '@eaas/test-kit/fixture';

const eaas = await commandLine();

async function newTenant(...options: string[]) {
  const name = randomUUID().slice(0, 8);
  return only(await eaas.json<TenantRecord>('tenant', 'create', '--name', name, ...options));
}

test.concurrent('tenant set changes the named fields, and records what changed', async () => {
  const tenant = await newTenant();
  const changed = { ...tenant, name: `${tenant.name} 2`, envelope_only: false, monthly_encrypt_quota: 3 };
  const options = ['--name', changed.name, '--envelope-only', 'false', '--monthly-encrypt-quota', '3'];
  expect(await eaas.json('tenant', 'set', tenant.name, ...options)).toEqual([changed]);
  expect(await eaas.json('tenant', 'set', tenant.tenant_id, '--monthly-encrypt-quota', 'null')).toEqual([
    { ...changed, monthly_encrypt_quota: null },
  ]);
  const { stdout } = await eaas('audit', 'export', '--tenant', changed.name);
  expect(jsonLines(stdout)).toMatchObject([
    {
      action: 'tenant.update',
      actor: 'operator',
      metadata: {
        changes: {
          name: { old: tenant.name, new: changed.name },
          envelope_only: { old: true, new: false },
          monthly_encrypt_quota: { old: null, new: 3 },
        },
        previous_change: 0,
      },
    },
    { metadata: { changes: { monthly_encrypt_quota: { old: 3, new: null } }, previous_change: 1 } },
  ]);
});

test.concurrent('tenant create takes its name as a word, and makes a key and an API key for an app', async () => {
  const name = randomUUID().slice(0, 8);
  const words = ['tenant', 'create', name, '--key', 'patients', '--permissions', 'encrypt'];
  const [tenant, key, apiKey] = await eaas.json(...words);
  expect(tenant).toMatchObject({ name });
  expect(apiKey?.['api_key']).toMatch(/^eaas_sk_/);
  expect(await eaas.json('api-key', 'list', '--tenant', name)).toMatchObject([
    { api_key_id: apiKey?.['api_key_id'], name: 'first', permissions: ['encrypt'] },
  ]);
  expect(await eaas.json('key', 'list', '--tenant', name)).toMatchObject([
    { key_id: key?.['key_id'], name: 'patients' },
  ]);
  const other = randomUUID().slice(0, 8);
  expect(await refusalOf(eaas('tenant', 'create', other, '--key', ''), 2)).toContain('name');
  expect(await eaas('tenant', 'show', other)).toMatchObject({ code: 1 });
});

test.concurrent.each([
  ['an empty name', ['create', '--name', '']],
  ['a name that looks like an id', ['create', '--name', randomUUID()]],
  ['a negative quota', ['create', '--name', 'x', '--monthly-encrypt-quota=-1']],
  ['a time in the future', ['create', '--name', 'x', '--created-at', '2999-01-01T00:00:00Z']],
  ['a set command without options', ['set', 'x']],
])('a tenant command with %s exits with 2 and prints one sentence on standard error', async (_, args) => {
  const stderr = await refusalOf(eaas('tenant', ...args), 2);
  expect(stderr).toMatch(/^[^\n]+\.?\n/);
  expect(stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);
});

test.concurrent('tenant destroy at a terminal prints the data of the tenant before it asks', async () => {
  const tenant = await newTenant('--monthly-encrypt-quota', '3');
  const apiKey = ['--tenant', tenant.name, '--name', 'x', '--permissions', 'all'];
  await eaas.json('api-key', 'create', ...apiKey);
  const holds = `The tenant "${tenant.name}" (${tenant.tenant_id}) has 0 keys, 1 API key and 1 audit entry; last used 2`;

  const declined = await atTerminal(eaas, 'no', 'tenant', 'destroy', tenant.name);
  expect(declined.stdout.indexOf(holds)).toBeGreaterThanOrEqual(0);
  expect(declined.stdout.indexOf('Type the name')).toBeGreaterThan(declined.stdout.indexOf(holds));
  expect(declined).toMatchObject({ code: 2 });
  expect(await eaas.json('tenant', 'show', tenant.name)).toEqual([tenant]);

  const confirmed = await atTerminal(eaas, tenant.name, 'tenant', 'destroy', tenant.name);
  expect(confirmed).toMatchObject({ code: 0 });
  expect(await eaas('tenant', 'show', tenant.name)).toMatchObject({ code: 1 });
});

test.concurrent.for([
  ['Ctrl-C', '\x03'],
  ['Ctrl-D', '\x04'],
])('%s at the question of tenant destroy erases nothing', async ([, key], { expect, onTestFinished }) => {
  const tenant = await newTenant();
  const [command = '', ...options] = inTerminal(['tenant', 'destroy', tenant.name]);
  const terminal = spawn(command, options, { env: { ...inherited(), ...eaas.env } });
  onTestFinished(() => void terminal.kill('SIGKILL'));
  const ended = once(terminal, 'close') as Promise<[number | null]>;
  let shown = '';
  terminal.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  await expect.poll(() => shown).toContain('to continue: ');
  terminal.stdin.write(key);
  expect((await ended)[0]).toBe(2);
  expect(shown).toMatch(/to continue: .*\r?\nNothing was erased, because no name was entered\.\r?\n$/);
  expect(await eaas.json('tenant', 'show', tenant.name)).toEqual([tenant]);
});

test.concurrent('tenant destroy erases the tenant only if --confirm has its name', async () => {
  const tenant = await newTenant();
  await eaas.json('api-key', 'create', '--tenant', tenant.name, '--name', 'x', '--permissions', 'all');
  expect(await refusalOf(eaas('tenant', 'destroy', tenant.name), 2)).toContain(
    'needs --confirm with the name of the tenant.',
  );
  expect(await refusalOf(eaas('tenant', 'destroy', tenant.name, '--confirm', 'another'), 2)).toContain(
    'Nothing was erased',
  );
  const notOwner = eaas.with({ EAAS_MIGRATE_DATABASE_URL: eaas.database.url('server') });
  expect(await refusalOf(notOwner('tenant', 'destroy', tenant.name, '--confirm', tenant.name), 3)).toContain(
    'set EAAS_MIGRATE_DATABASE_URL',
  );
  expect(await eaas.json('tenant', 'show', tenant.name)).toEqual([tenant]);

  const done = await eaas.json('tenant', 'destroy', tenant.tenant_id, '--confirm', tenant.name);
  expect(done).toEqual([{ ...tenant, destroyed: true }]);
  expect(await eaas('tenant', 'show', tenant.tenant_id)).toMatchObject({ code: 1 });
});

test.each([
  ['of the database driver', 'file:///app/node_modules/postgres/src/connection.js:255:22', 0],
  ['of another module', 'file:///app/other.js:1:1', 4],
])('a command ignores only uncaught errors of the database driver (error %s)', async (_, place, code) => {
  const throwing = moduleOf(`
    import { Socket } from 'node:net';
    const { connect } = Socket.prototype;
    Socket.prototype.connect = function (...args) {
      Socket.prototype.connect = connect;
      const error = new TypeError('nobody catches this');
      error.stack = 'TypeError: nobody catches this\\n    at Immediate.nextWrite (${place})';
      setImmediate(() => { throw error; });
      return connect.apply(this, args);
    };`);
  const { tenant_id } = await newTenant();
  const ended = await run([...eaasImporting(throwing), 'tenant', 'show', tenant_id], eaas.env);
  expect(ended.code).toBe(code);
  expect(ended.stdout.includes(tenant_id)).toBe(code === 0);
  expect(ended.stderr.includes('nobody catches this')).toBe(code !== 0);
});

import { randomUUID } from 'node:crypto';
import { appendFile, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChainedEntry } from '@eaas/protocol/audit';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { eaas as program, run } from '@eaas/test-kit/program';
import { commandLine, jsonLines, refusalOf } from '@eaas/test-kit/command-line';
import { closing } from '@eaas/test-kit/closing';
import { newDirectory } from '@eaas/test-kit/directory';

type Entry = ChainedEntry & { readonly hash: string };

const eaas = await commandLine();
const connection = { ...eaas.database.connection('superuser'), max: 1 };
const superuser = await closing(postgres(connection), (it) => it.end());

async function newTenant(entries: number): Promise<string> {
  const name = `tenant ${randomUUID()}`;
  const [tenant] = await eaas.json<{ tenant_id: string }>('tenant', 'create', '--name', name);
  const tenantId = tenant?.tenant_id ?? '';
  for (let quota = 1; quota <= entries; quota++) {
    await eaas.json('tenant', 'set', tenantId, '--monthly-encrypt-quota', String(quota));
  }
  // Destroys the tampered tenant, so that verifications in other tests do not report it.
  onTestFinished(async () => void (await superuser`select eaas.destroy_tenant(${tenantId})`));
  return tenantId;
}

async function tamper(work: (sql: postgres.TransactionSql) => Promise<unknown>): Promise<void> {
  await superuser.begin(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`alter table eaas.audit_entries disable trigger all`;
    await work(sql);
    await sql`alter table eaas.audit_entries enable always trigger audit_entries_immutable`;
    await sql`alter table eaas.audit_entries enable always trigger audit_entries_no_truncate`;
  });
}

test('audit verify prints the response of the API', async () => {
  const tenant_id = await newTenant(2);
  const verified = { tenant_id, valid: true, complete: true, checked: 2, first_id: 1, last_id: 2 };
  expect(await eaas.json('audit', 'verify')).toEqual([expect.objectContaining(verified)]);
  const { code, stdout } = await eaas('audit', 'verify', '--tenant', tenant_id);
  expect(code).toBe(0);
  expect(stdout).toMatch(/: valid, 2 entries checked, head 2\n$/);
});

test('if no tenant has an audit log, audit verify says that it verified nothing', async () => {
  const empty = await commandLine();
  expect(await refusalOf(empty('audit', 'verify'), 0)).toBe(
    'No tenant has an audit log yet, so nothing was verified.\n',
  );
});

test('audit verify prints a broken chain and continues with other tenants', async () => {
  const [broken, whole] = [await newTenant(2), await newTenant(1)];
  await tamper(
    (sql) => sql`update eaas.audit_entries set actor = 'system' where tenant_id = ${broken} and id = 1`,
  );
  const { code, stdout } = await eaas('audit', 'verify', '--json');
  expect(code).toBe(1);
  const found = new Map(jsonLines<{ tenant_id: string }>(stdout).map((each) => [each.tenant_id, each]));
  expect(found.get(broken)).toMatchObject({ valid: false, errors: [{ id: 1, reason: 'entry_changed' }] });
  expect(found.get(whole)).toMatchObject({ valid: true });
  const people = await eaas('audit', 'verify', '--tenant', broken);
  expect(people).toMatchObject({ code: 1 });
  expect(people.stdout).toMatch(/BROKEN, 2 entries checked, head 2\n {2}entry 1: entry_changed\n$/);
});

test('audit verify names a tenant whose row was changed', async () => {
  const tenantId = await newTenant(1);
  await superuser`update eaas.tenants set envelope_only = not envelope_only where tenant_id = ${tenantId}`;
  const { code, stdout } = await eaas('audit', 'verify', '--tenant', tenantId, '--json');
  expect(code).toBe(1);
  const changed = { id: 1, reason: `tenant_changed: ${tenantId}` };
  expect(jsonLines(stdout)).toMatchObject([{ errors: [changed, { id: null, reason: 'rows_differ' }] }]);
  for (const command of [['list'], ['show', tenantId]]) {
    const { stderr } = await eaas('tenant', ...command, '--json');
    expect(stderr).toContain(
      `Warning: the row of tenant ${tenantId} was changed by something other than the service`,
    );
  }
  await refusalOf(eaas('tenant', 'set', tenantId, '--envelope-only', 'true'), 1);
});

test('audit verify reports a tenant with an invalid secret, without a log head, or without a row in `eaas.tenants`', async () => {
  const [secret, head, row] = [await newTenant(0), await newTenant(0), await newTenant(1)];
  await superuser`update eaas.tenants set sealed_secret = '\\x00' where tenant_id = ${secret}`;
  await superuser`delete from eaas.audit_heads where tenant_id = ${head}`;
  await tamper((sql) => sql`delete from eaas.tenants where tenant_id = ${row}`);
  const { code, stdout } = await eaas('audit', 'verify', '--json');
  expect(code).toBe(1);
  const verified = jsonLines<{ tenant_id: string; valid: boolean; error_count: number }>(stdout);
  expect(new Map(verified.map(({ tenant_id, valid }) => [tenant_id, valid]))).toEqual(
    new Map([secret, head, row].map((id) => [id, false])),
  );
  expect(await eaas('audit', 'verify', '--tenant', row)).toMatchObject({ code: 1 });
});

test('audit verify refuses a changed checkpoint', async () => {
  const tenantId = await newTenant(1);
  const kept = join(await newDirectory(), 'kept');
  const checkpoint = await eaas('audit', 'checkpoint', '--tenant', tenantId);
  expect(checkpoint.stderr).toMatch(new RegExp(`^Pin this verifier key: eaas/${tenantId}\\+`));
  await eaas.json('tenant', 'set', tenantId, '--name', 'renamed');
  const verify = () => eaas('audit', 'verify', '--tenant', tenantId, '--checkpoint-file', kept, '--json');

  const [json] = await eaas.json('audit', 'checkpoint', '--tenant', tenantId);
  for (const text of [checkpoint.stdout, JSON.stringify(json)]) {
    await writeFile(kept, text);
    const { code, stdout } = await verify();
    expect(code).toBe(0);
    expect(jsonLines(stdout)).toMatchObject([{ valid: true, checkpoint: { valid: true } }]);
  }

  await writeFile(kept, checkpoint.stdout.replace('\n1\n', '\n2\n'));
  expect(await verify()).toMatchObject({ code: 2, stdout: '' });
  for (const args of [
    ['--checkpoint-file', kept],
    ['--tenant', tenantId, '--checkpoint-file', `${kept}.not`],
  ]) {
    expect(await eaas('audit', 'verify', ...args)).toMatchObject({ code: 2, stdout: '' });
  }
});

test('audit export prints the entries, or those from an id', async () => {
  const tenantId = await newTenant(3);
  const { code, stdout, stderr } = await eaas('audit', 'export', '--tenant', tenantId);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '3 entries written.\n' });
  expect(jsonLines<Entry>(stdout)).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }]);
  const from = await eaas('audit', 'export', '--tenant', tenantId, '--from-id', '3');
  expect(jsonLines<Entry>(from.stdout)).toMatchObject([{ id: 3 }]);
});

test('audit verify does not exit with 0 if its reader closes the pipe before all logs are verified', async () => {
  await newTenant(2);
  const line = `${program.map((word) => `'${word}'`).join(' ')} audit verify`;
  const { stderr } = await run(['bash', '-c', `(${line}; echo "exit $?" >&2) | true`], eaas.env);
  expect(stderr).toMatch(/exit 3\n$/);
});

test('audit export continues a file after its last complete line', async () => {
  const tenantId = await newTenant(2);
  const out = join(await newDirectory(), 'log.ndjson');
  const write = async (): Promise<number> => {
    const args = ['--tenant', tenantId, '--out', out];
    const [done] = await eaas.json<{ file: string; written: number }>('audit', 'export', ...args);
    return done?.file === out ? done.written : -1;
  };
  const ids = async () => jsonLines<Entry>(await readFile(out, 'utf8')).map(({ id }) => id);
  expect(await write()).toBe(2);
  expect((await stat(out)).mode & 0o777).toBe(0o600);
  expect(await write()).toBe(0);

  await eaas.json('tenant', 'set', tenantId, '--name', `renamed ${tenantId}`);
  await truncate(out, (await stat(out)).size - 10);
  expect(await write()).toBe(2);
  expect(await ids()).toEqual([1, 2, 3]);
  await truncate(out, 3);
  expect(await write()).toBe(3);
  expect(await ids()).toEqual([1, 2, 3]);
});

test('audit export does not change a file that is not an export of this tenant', async () => {
  const [mine, others] = [await newTenant(1), await newTenant(2)];
  const out = join(await newDirectory(), 'file');
  for (const [content, code] of [
    ['not an export\n', 2],
    ['not an export', 2],
    ['{"a":1}\n', 2],
    [(await eaas('audit', 'export', '--tenant', others)).stdout, 1],
  ] as const) {
    await writeFile(out, content);
    await appendFile(out, '{"id"');
    expect(await eaas('audit', 'export', '--tenant', mine, '--out', out)).toMatchObject({ code, stdout: '' });
    expect(await readFile(out, 'utf8')).toBe(`${content}{"id"`);
  }
  expect(await eaas('audit', 'export', '--tenant', mine, '--out', `${out}/x`)).toMatchObject({ code: 2 });
});

test('audit export stops before a missing entry', async () => {
  const tenantId = await newTenant(3);
  await tamper((sql) => sql`delete from eaas.audit_entries where tenant_id = ${tenantId} and id = 2`);
  expect(await refusalOf(eaas('audit', 'export', '--tenant', tenantId), 1)).toContain(
    'Audit entry 2 is missing',
  );
});

test('audit acknowledge-restore records the restore in a valid log', async () => {
  const tenantId = await newTenant(1);
  const reason = 'disk failure, backup of yesterday';
  const done = await eaas.json('audit', 'acknowledge-restore', '--tenant', tenantId, '--reason', reason);
  expect(done).toEqual([{ tenant_id: tenantId, id: 2, reason }]);
  const { stdout } = await eaas('audit', 'export', '--tenant', tenantId, '--from-id', '2');
  expect(jsonLines<Entry>(stdout)).toMatchObject([
    {
      action: 'tenant.update',
      actor: 'operator',
      metadata: { restored: true, reason, previous_change: 1 },
    },
  ]);
  expect(await eaas('audit', 'verify', '--tenant', tenantId)).toMatchObject({ code: 0 });
  const empty = await eaas('audit', 'acknowledge-restore', '--tenant', tenantId, '--reason', ' ');
  expect(empty).toMatchObject({ code: 2 });
});

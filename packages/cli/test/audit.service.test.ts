import { randomUUID } from 'node:crypto';
import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { eaas as program, run } from '@eaas/test-kit/program';
import { commandLine, jsonLines, refusalOf } from '@eaas/test-kit/command-line';
import { closing } from '@eaas/test-kit/closing';
import { newDirectory } from '@eaas/test-kit/directory';

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

test('audit verify prints the response of the API, and says if it verified nothing', async () => {
  expect(await refusalOf(eaas('audit', 'verify'), 0)).toBe(
    'No tenant has an audit log yet, so nothing was verified.\n',
  );
  const tenant_id = await newTenant(2);
  const verified = { tenant_id, valid: true, complete: true, checked: 2, first_id: 1, last_id: 2 };
  expect(await eaas.json('audit', 'verify')).toEqual([expect.objectContaining(verified)]);
  const { code, stdout } = await eaas('audit', 'verify', '--tenant', tenant_id);
  expect(code).toBe(0);
  expect(stdout).toMatch(/: valid, 2 entries checked, head 2\n$/);
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
  const file = join(await newDirectory(), 'broken.ndjson');
  await writeFile(file, (await eaas('audit', 'export', '--tenant', broken)).stdout);
  const ofFile = await eaas('audit', 'verify-file', file, '--json');
  expect(jsonLines(ofFile.stdout)).toMatchObject([{ errors: [{ id: 1, reason: 'entry_changed' }] }]);
  const people = await eaas('audit', 'verify', '--tenant', broken);
  expect(people).toMatchObject({ code: 1 });
  expect(people.stdout).toMatch(/BROKEN, 2 entries checked, head 2\n {2}entry 1: entry_changed\n$/);
});

test('audit verify reports a tenant whose row was changed, or whose head or row is missing, and so do the commands', async () => {
  const [changed, head, row] = [await newTenant(1), await newTenant(0), await newTenant(1)];
  await superuser`update eaas.tenants set envelope_only = not envelope_only where tenant_id = ${changed}`;
  await superuser`delete from eaas.audit_heads where tenant_id = ${head}`;
  await tamper((sql) => sql`delete from eaas.tenants where tenant_id = ${row}`);
  const { code, stdout } = await eaas('audit', 'verify', '--json');
  expect(code).toBe(1);
  const verified = jsonLines<{ tenant_id: string; valid: boolean; errors: object[] }>(stdout);
  expect(new Map(verified.map(({ tenant_id, valid }) => [tenant_id, valid]))).toEqual(
    new Map([changed, head, row].map((id) => [id, false])),
  );
  expect(verified.find(({ tenant_id }) => tenant_id === changed)?.errors).toMatchObject([
    { id: 1, reason: `tenant_changed: ${changed}` },
    { id: null, reason: 'rows_differ' },
  ]);
  expect((await eaas('tenant', 'list', '--json')).stderr).toContain(
    `Warning: the row of tenant ${changed} was changed by something other than the service`,
  );
  await refusalOf(eaas('tenant', 'set', changed, '--envelope-only', 'true'), 1);
});

test('audit verify refuses a changed checkpoint', async () => {
  const tenantId = await newTenant(1);
  const kept = join(await newDirectory(), 'kept');
  const { stdout: signed, stderr } = await eaas('audit', 'checkpoint', '--tenant', tenantId);
  expect(stderr).toMatch(new RegExp(`^Pin this verifier key: eaas/${tenantId}\\+`));
  await eaas.json('tenant', 'set', tenantId, '--name', 'renamed');
  const verify = () => eaas('audit', 'verify', '--tenant', tenantId, '--checkpoint-file', kept, '--json');

  const [json] = await eaas.json('audit', 'checkpoint', '--tenant', tenantId);
  for (const text of [signed, JSON.stringify(json)]) {
    await writeFile(kept, text);
    expect(jsonLines((await verify()).stdout)).toMatchObject([{ valid: true, checkpoint: { valid: true } }]);
  }
  await writeFile(kept, signed.replace('\n1\n', '\n2\n'));
  expect(await verify()).toMatchObject({ code: 2, stdout: '' });
  expect(await eaas('audit', 'verify', '--checkpoint-file', kept)).toMatchObject({ code: 2, stdout: '' });
});

test('audit verify does not exit with 0 if its reader closes the pipe before all logs are verified', async () => {
  await newTenant(2);
  const line = `${program.map((word) => `'${word}'`).join(' ')} audit verify`;
  const { stderr } = await run(['bash', '-c', `(${line}; echo "exit $?" >&2) | true`], eaas.env);
  expect(stderr).toMatch(/exit 3\n$/);
});

test('audit export prints entries, or continues a file after its last complete line', async () => {
  const tenantId = await newTenant(2);
  const printed = await eaas('audit', 'export', '--tenant', tenantId, '--from-id', '2');
  expect(printed.stderr).toBe('1 entries written.\n');
  expect(printed.code).toBe(0);
  const out = join(await newDirectory(), 'log.ndjson');
  const write = () => eaas.json('audit', 'export', '--tenant', tenantId, '--out', out);
  expect(await write()).toMatchObject([{ file: out, written: 2 }]);
  expect((await stat(out)).mode & 0o777).toBe(0o600);
  expect(await write()).toMatchObject([{ written: 0 }]);

  await eaas.json('tenant', 'set', tenantId, '--name', `renamed ${tenantId}`);
  await truncate(out, (await stat(out)).size - 10);
  expect(await write()).toMatchObject([{ written: 2 }]);
  expect(jsonLines(await readFile(out, 'utf8'))).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }]);
});

test('audit export --month writes the entries of one month', async () => {
  const tenantId = await newTenant(2);
  const written = async (...words: string[]) =>
    jsonLines<{ created_at: string }>((await eaas('audit', 'export', '--tenant', tenantId, ...words)).stdout);
  const all = await written();
  const [of = ''] = all.map(({ created_at }) => created_at.slice(0, 7));
  expect(await written('--month', of)).toEqual(all.filter(({ created_at }) => created_at.startsWith(of)));
  expect([await written('--month', '2020-01'), await written('--month', '2999-12')]).toEqual([[], []]);
  expect(await refusalOf(eaas('audit', 'export', '--tenant', tenantId, '--month', '2026-13'), 2)).toContain(
    'Pass a month',
  );
});

test('audit export does not change a file that is not an export of this tenant', async () => {
  const [mine, others] = [await newTenant(1), await newTenant(2)];
  const out = join(await newDirectory(), 'file');
  for (const [content, code] of [
    ['not an export', 2],
    ['{"a":1}\n', 2],
    [(await eaas('audit', 'export', '--tenant', others)).stdout, 1],
  ] as const) {
    await writeFile(out, content);
    expect(await eaas('audit', 'export', '--tenant', mine, '--out', out)).toMatchObject({ code, stdout: '' });
    expect(await readFile(out, 'utf8')).toBe(content);
  }
});

test('audit export ends with the entry before one that is missing', async () => {
  const tenantId = await newTenant(3);
  await tamper((sql) => sql`delete from eaas.audit_entries where tenant_id = ${tenantId} and id = 2`);
  const { code, stdout, stderr } = await eaas('audit', 'export', '--tenant', tenantId);
  expect([code, jsonLines(stdout)]).toMatchObject([1, [{ id: 1 }]]);
  expect(stderr).toContain('entry 2 is missing');
});

test('audit acknowledge-restore records the restore in a valid log', async () => {
  const tenantId = await newTenant(1);
  const acknowledge = (reason: string) =>
    eaas('audit', 'acknowledge-restore', '--tenant', tenantId, '--reason', reason);
  expect(await acknowledge('disk failure')).toMatchObject({ code: 0 });
  const { stdout } = await eaas('audit', 'export', '--tenant', tenantId, '--from-id', '2');
  const metadata = { restored: true, reason: 'disk failure', previous_change: 1 };
  expect(jsonLines(stdout)).toMatchObject([{ action: 'tenant.update', actor: 'operator', metadata }]);
  expect(await eaas('audit', 'verify', '--tenant', tenantId)).toMatchObject({ code: 0 });
  expect(await acknowledge(' ')).toMatchObject({ code: 2 });
});

test('audit acknowledge-restore --all records the restore in every log, and names those in which it cannot', async () => {
  const [first, second] = [await newTenant(1), await newTenant(1)];
  const acknowledge = (...where: string[]) =>
    eaas('audit', 'acknowledge-restore', ...where, '--json', '--reason', 'disk failure');
  const recorded = await acknowledge('--all');
  expect(recorded.code).toBe(0);
  expect(jsonLines<{ tenant_id: string }>(recorded.stdout).map(({ tenant_id }) => tenant_id)).toEqual(
    expect.arrayContaining([first, second]),
  );

  await superuser`update eaas.tenants set name = 'another' where tenant_id = ${first}`;
  const partly = await acknowledge('--all');
  expect(partly.code).toBe(1);
  expect(partly.stderr).toContain(`The restore could not be recorded for ${first}: run it again`);
  expect(jsonLines<{ tenant_id: string }>(partly.stdout).map(({ tenant_id }) => tenant_id)).toContain(second);

  expect(await acknowledge()).toMatchObject({ code: 2, stderr: expect.stringContaining('pass --all') });
  expect(await acknowledge('--all', '--tenant', second)).toMatchObject({ code: 2 });
});

import { insider, openService, operations } from '@eaas/server/internal';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { eaas as program, launch, run } from '@eaas/test-kit/program';
import { openAttacker } from '@eaas/test-kit/attacker';
import { commandLine, jsonLines } from '@eaas/test-kit/command-line';
import { withAdmin } from '@eaas/test-kit/database';
import { closing } from '@eaas/test-kit/closing';
import { newDirectory } from '@eaas/test-kit/directory';
import type { AuditEntry } from '@eaas/test-kit/fixture';

type Tenant = Awaited<ReturnType<typeof newTenant>>;

const eaas = await commandLine();
const open = await closing(openService(readConfig(eaas.env), 'command'), (it) => it.close());
const folder = await newDirectory();
let ann: Tenant;
let bob: Tenant;
beforeAll(async () => {
  ann = await newTenant('ann');
  bob = await newTenant('bob');
});

async function newTenant(name: string) {
  const [tenant] = await eaas.json<{ tenant_id: string }>('tenant', 'create', '--name', name);
  const [key] = await eaas.json<{ key_id: string }>('key', 'create', '--tenant', name, '--name', 'app');
  return { id: tenant?.tenant_id ?? '', keyId: key?.key_id ?? '' };
}

async function append({ id, keyId: key_id }: Tenant, count = 1, size = 10): Promise<void> {
  const dek = randomBytes(32).toString('base64');
  const wrap = () =>
    operations['POST /v1/keys/:key_id/wrap'](open.service, insider(id, 'operator'), {
      key_id,
      dek,
      context: { row: 'x'.repeat(size) },
    });
  for (let done = 0; done < count; done += 500) {
    await Promise.all(Array.from({ length: Math.min(500, count - done) }, wrap));
  }
}

function start(...options: string[]) {
  const started = launch([...program, 'audit', 'follow', ...options], eaas.env);
  onTestFinished(() => void started.child.kill('SIGKILL'));
  const closed = once(started.child, 'close') as Promise<[number | null]>;
  return { ...started, closed };
}

const follow = (...options: string[]) => eaas('audit', 'follow', '--once', ...options);
const newState = (): string => join(folder, `${randomBytes(4).toString('hex')}.state`);
const wholeLines = (text: string) => jsonLines<AuditEntry>(text.slice(0, text.lastIndexOf('\n') + 1));
const idsOf = (lines: readonly AuditEntry[], { id }: Tenant): number[] =>
  lines.filter(({ tenant_id }) => tenant_id === id).map((line) => line.id);
const upTo = (last: number): number[] => Array.from({ length: last }, (_, nth) => nth + 1);

async function headOf({ id }: Tenant): Promise<number> {
  return (await operations['GET /v1/audit/checkpoint'](open.service, insider(id, 'operator'), {})).id;
}

test('audit follow prints the entries of all tenants in their order, each as audit export writes it', async () => {
  await append(ann);
  await append(ann, 599);
  const { code, stdout, stderr } = await follow();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const name of ['ann', 'bob']) {
    const exported = jsonLines<AuditEntry>((await eaas('audit', 'export', '--tenant', name)).stdout);
    const own = jsonLines<AuditEntry>(stdout).filter(({ tenant_id }) => tenant_id === exported[0]?.tenant_id);
    expect(own).toEqual(exported);
  }
  expect(jsonLines((await follow('--tenant', 'ann', '--from', '599')).stdout)).toMatchObject(
    [599, 600, 601].map((id) => ({ tenant_id: ann.id, id })),
  );
  expect((await follow('--tenant', 'ann', '--from', '999')).stderr).toContain('entry 998 is missing');
});

test('audit follow into a file continues after the last entry, and completes the line that a killed one left', async () => {
  const [state, file] = [newState(), join(folder, 'audit.ndjson')];
  const words = [...program, 'audit', 'follow', '--once', '--state', state].map((word) => `'${word}'`);
  const command = `${words.join(' ')} >> '${file}'`;
  for (let round = 0; round < 2; round++) {
    await append(bob, 2);
    expect(await run(['bash', '-c', command], eaas.env)).toMatchObject({ code: 0, stderr: '' });
    expect(idsOf(jsonLines(await readFile(file, 'utf8')), bob)).toEqual(upTo(await headOf(bob)));
  }
  await writeFile(file, '{"id":', { flag: 'a' });
  await append(bob);
  await run(['bash', '-c', command], eaas.env);
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '{"id":');
  expect(idsOf(wholeLines(lines.join('\n')), bob)).toEqual(upTo(await headOf(bob)));
});

test('no entry is lost if the command is killed in the middle of a log', async () => {
  const state = newState();
  await append(ann, 3_000, 1_000);
  const received: number[] = [];
  for (let round = 0; round < 2; round++) {
    const { child, stdout, closed } = start('--state', state);
    await expect.poll(() => readFile(state, 'utf8').catch(() => '')).toContain(ann.id);
    await expect.poll(() => stdout().length).toBeGreaterThan(500_000);
    child.kill('SIGKILL');
    await closed;
    received.push(...idsOf(wholeLines(stdout()), ann));
    await append(ann, 10);
  }
  const rest = idsOf(jsonLines((await follow('--state', state)).stdout), ann);
  const last = await headOf(ann);
  expect(Array.from(new Set([...received, ...rest])).toSorted((a, b) => a - b)).toEqual(upTo(last));
  expect(rest[0]).toBeGreaterThan(100);
});

test('audit follow prints new entries of existing and new tenants, through an outage, until SIGTERM', async () => {
  const startedAt = new Date();
  const { child, stdout, stderr, closed } = start();
  const lines = () => wholeLines(stdout());
  await expect.poll(async () => idsOf(lines(), bob)).toEqual(upTo(await headOf(bob)));
  const { name, connection } = eaas.database;
  await withAdmin(connection('superuser'), async (sql) => {
    await sql`alter database ${sql(name)} connection limit 0`;
    try {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = ${name} and backend_start > ${startedAt}`;
      await expect.poll(stderr).toContain('The database cannot be reached.');
    } finally {
      await sql`alter database ${sql(name)} connection limit -1`;
    }
  });
  const later = await newTenant('later');
  await append(bob);
  await expect.poll(() => idsOf(lines(), later)).toEqual([1]);
  await expect.poll(async () => idsOf(lines(), bob)).toEqual(upTo(await headOf(bob)));
  child.kill('SIGTERM');
  expect((await closed)[0]).toBe(0);
  expect(stderr().match(/cannot be reached/g)).toHaveLength(1);
});

test('audit follow ends without an error when its reader ends', async () => {
  const words = [...program, 'audit', 'follow'].map((word) => `'${word}'`);
  const command = `set -o pipefail; ${words.join(' ')} | head -n 1`;
  expect(await run(['bash', '-c', command], eaas.env)).toMatchObject({ code: 0, stderr: '' });
});

const noState = newState();
await writeFile(noState, '{"id":1}\n');

test.each([
  [['--from', '1'], '--from needs --tenant'],
  [['--tenant', 'ann', '--from', '1', '--state', 'x'], 'cannot be used with'],
  [['--state', join(folder, 'none', 'x')], 'cannot be used (ENOENT)'],
  [['--state', noState], 'is not a state'],
])('audit follow %j is refused', async (options, message) => {
  const stderr = expect.stringContaining(message);
  expect(await follow(...options)).toMatchObject({ code: 2, stdout: '', stderr });
});

test('a changed entry ends the command after what other logs have, also after a restart', async () => {
  const mallory = await newTenant('mallory');
  await append(mallory, 5);
  const steps: (() => Promise<void>)[] = [];
  const attacker = await openAttacker({ database: eaas.database, onClose: (step) => void steps.push(step) });
  onTestFinished(async () => {
    for (const step of steps) await step();
  });
  const state = newState();
  expect(await follow('--state', state)).toMatchObject({ code: 0 });
  await append(mallory, 5);
  await append(bob);
  await attacker.sql`update eaas.audit_entries set actor = 'nobody' where tenant_id = ${mallory.id} and id = 9`;
  const broken = await follow('--state', state);
  expect(broken.code).toBe(1);
  expect(idsOf(jsonLines(broken.stdout), mallory)).toEqual([7, 8]);
  expect(idsOf(jsonLines(broken.stdout), bob)).toEqual([await headOf(bob)]);
  expect(broken.stderr).toContain(`${mallory.id} is broken: entry 9 is not authentic.`);
});

import { insider, openService, operations } from '@eaas/server/internal';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { eaas as program, type Finished, launch, run } from '@eaas/test-kit/program';
import { openAttacker } from '@eaas/test-kit/attacker';
import { commandLine, jsonLines } from '@eaas/test-kit/command-line';
import { closing } from '@eaas/test-kit/closing';
import { newDirectory } from '@eaas/test-kit/directory';
import { parseSyslog } from '@eaas/test-kit/syslog';

interface Line {
  readonly tenant_id: string;
  readonly id: number;
  readonly notice?: string;
}

interface Tenant {
  readonly id: string;
  readonly keyId: string;
}

const canary = 'canary in a context';

const eaas = await commandLine();
const open = await closing(openService(readConfig(eaas.env), 'command'), (it) => it.close());
const ann = await newTenant('ann');
const bob = await newTenant('bob');

async function newTenant(name: string): Promise<Tenant> {
  const [tenant] = await eaas.json<{ tenant_id: string }>('tenant', 'create', '--name', name);
  const [key] = await eaas.json<{ key_id: string }>('key', 'create', '--tenant', name, '--name', 'app');
  return { id: tenant?.tenant_id ?? '', keyId: key?.key_id ?? '' };
}

async function append({ id, keyId: key_id } = ann, count = 1, size = 10): Promise<void> {
  const dek = randomBytes(32).toString('base64');
  const context = { row: 'x'.repeat(size), canary };
  const wrap = () =>
    operations['POST /v1/keys/:key_id/wrap'](open.service, insider(id, 'operator'), { key_id, dek, context });
  for (let done = 0; done < count; done += 500) {
    await Promise.all(Array.from({ length: Math.min(500, count - done) }, wrap));
  }
}

const newCursor = async (): Promise<string> => join(await newDirectory(), 'audit.cursor');

function start(cursor: string, ...options: string[]) {
  const started = launch([...program, 'audit', 'stream', '--cursor', cursor, ...options], eaas.env);
  onTestFinished(() => void started.child.kill('SIGKILL'));
  const closed = once(started.child, 'close') as Promise<[number | null]>;
  return { ...started, closed };
}

async function stream(cursor: string, ...options: string[]): Promise<Finished> {
  const { stdout, stderr, closed } = start(cursor, ...options);
  const [code] = await closed;
  return { code, stdout: stdout(), stderr: stderr() };
}

const wholeLines = <T>(text: string): T[] => jsonLines<T>(text.slice(0, text.lastIndexOf('\n') + 1));

function idsOf(lines: readonly Line[], { id } = ann): number[] {
  return lines.filter(({ tenant_id }) => tenant_id === id).map((line) => line.id);
}

async function headOf({ id } = ann): Promise<number> {
  return (await operations['GET /v1/audit/checkpoint'](open.service, insider(id, 'operator'), {})).id;
}

const upTo = (last: number): number[] => Array.from({ length: last }, (_, nth) => nth + 1);
const unique = (ids: readonly number[]): number[] => Array.from(new Set(ids)).toSorted((a, b) => a - b);

test('audit stream writes the entries of all tenants, each as audit export writes it', async () => {
  await append();
  const { code, stdout, stderr } = await stream(await newCursor(), '--no-follow');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const name of ['ann', 'bob']) {
    const exported = jsonLines<Line>((await eaas('audit', 'export', '--tenant', name)).stdout);
    const [first] = exported;
    expect(jsonLines<Line>(stdout).filter((line) => line.tenant_id === first?.tenant_id)).toEqual(exported);
  }
});

test('audit stream --tenants writes only the entries of the named tenants', async () => {
  const { stdout } = await stream(await newCursor(), '--no-follow', '--tenants', 'bob');
  expect(idsOf(jsonLines(stdout), bob)).toEqual(upTo(await headOf(bob)));
  expect(idsOf(jsonLines(stdout), ann)).toEqual([]);
});

test('audit stream into a file continues after the last written entry, without repetitions', async () => {
  const [cursor, file] = [await newCursor(), join(await newDirectory(), 'audit.ndjson')];
  const words = [...program, 'audit', 'stream', '--no-follow', '--cursor', cursor];
  const command = `${words.map((word) => `'${word}'`).join(' ')} >> '${file}'`;
  for (let round = 0; round < 3; round++) {
    await append(ann, 2);
    expect(await run(['bash', '-c', command], eaas.env)).toMatchObject({ code: 0, stderr: '' });
    expect(idsOf(jsonLines(await readFile(file, 'utf8')))).toEqual(upTo(await headOf()));
  }
  // A killed `audit stream` can leave half a line at the end of the file.
  await writeFile(file, '{"id":', { flag: 'a' });
  await append();
  await run(['bash', '-c', command], eaas.env);
  const lines = (await readFile(file, 'utf8')).split('\n');
  expect(lines.filter((line) => line === '{"id":')).toHaveLength(1);
  expect(idsOf(wholeLines(lines.filter((line) => line !== '{"id":').join('\n')))).toEqual(
    upTo(await headOf()),
  );
});

test('if the disk of the cursor is full, audit stream names the cursor file', async () => {
  const { id } = await newTenant('full');
  const [cursor, file] = [await newCursor(), join(await newDirectory(), 'audit.ndjson')];
  // 59 lines of 104 bytes fit into the limit of 6 KiB for each file, and one more line does not.
  const other = () => `${randomUUID()} 1 ${'ab'.repeat(32)}\n`;
  await writeFile(cursor, Array.from({ length: 59 }, other).join(''));
  const words = [...program, 'audit', 'stream', '--no-follow', '--tenants', id, '--cursor', cursor];
  const command = `ulimit -f 6; ${words.map((word) => `'${word}'`).join(' ')} >> '${file}'`;
  const { code, stderr } = await run(['bash', '-c', command], eaas.env);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `The cursor file ${cursor} cannot be written (EFBIG): check the path, the permissions and the free space.\n`,
  });
  expect(idsOf(jsonLines(await readFile(file, 'utf8')), { id, keyId: '' })).toEqual([1]);
});

test('audit stream follows the logs of existing and new tenants until SIGTERM', async () => {
  const { child, stdout, stderr, closed } = start(await newCursor());
  const lines = () => wholeLines<Line>(stdout());
  const before = await headOf();
  await expect.poll(() => idsOf(lines()).length).toBe(before);
  await append();
  const later = await newTenant(`later ${randomBytes(4).toString('hex')}`);
  await expect.poll(() => idsOf(lines(), later)).toEqual([1]);
  await expect.poll(() => idsOf(lines())).toEqual(upTo(before + 1));
  child.kill('SIGTERM');
  expect((await closed)[0]).toBe(0);
  expect(stderr()).toBe('');
});

test('no entry is lost if the stream and its reader are killed in the middle of the log', async () => {
  const cursor = await newCursor();
  await append(ann, 4_000, 1_000);
  const positionOfAnn = async (): Promise<number> => {
    const lines = (await readFile(cursor, 'utf8')).matchAll(new RegExp(`^${ann.id} (\\d+) `, 'gm'));
    return Math.max(0, ...Array.from(lines, ([, id]) => Number(id)));
  };
  const received: number[] = [];
  for (const most of [1_500_000, 500_000]) {
    const { child, stdout, closed } = start(cursor);
    await expect.poll(() => stdout().length).toBeGreaterThan(most);
    await expect.poll(positionOfAnn).toBeGreaterThan(100);
    // Reads the output before the kill, because the output that is still in the pipe is lost.
    const read = stdout();
    child.kill('SIGKILL');
    received.push(...idsOf(wholeLines<Line>(read)));
    await closed;
    await append(ann, 10);
  }
  const { stdout } = await stream(cursor, '--no-follow');
  const rest = idsOf(jsonLines<Line>(stdout));
  const last = await headOf();
  expect(unique([...received, ...rest])).toEqual(upTo(last));
  expect(Math.min(...rest)).toBeGreaterThan(100);
});

test('audit stream stops reading the database if nobody reads its output', async () => {
  await append(ann, 6_000, 2_000);
  const { child } = start(await newCursor(), '--tenants', 'ann');
  child.stdout.pause();
  const readBytes = async (): Promise<number> => {
    const io = await readFile(`/proc/${child.pid}/io`, 'utf8');
    return Number(/^rchar: (\d+)/m.exec(io)?.[1]);
  };
  const idle: number[] = [];
  await expect
    .poll(
      async () => {
        idle.push(await readBytes());
        const [latest = 0] = idle.slice(-1);
        return latest > 3_000_000 && idle.slice(-10).every((bytes) => bytes === latest) && idle.length >= 10;
      },
      { interval: 200 },
    )
    .toBe(true);
  expect(idle.at(-1)).toBeLessThan(10_000_000);
});

test('with a damaged cursor, audit stream repeats entries and loses none', async () => {
  const cursor = await newCursor();
  const file = join(await newDirectory(), 'audit.ndjson');
  const words = [...program, 'audit', 'stream', '--no-follow', '--tenants', 'bob', '--cursor', cursor];
  const command = `${words.map((word) => `'${word}'`).join(' ')} >> '${file}'`;
  await run(['bash', '-c', command], eaas.env);
  await append(bob);
  const [line = ''] = (await readFile(cursor, 'utf8')).split('\n');
  await writeFile(cursor, `${line}\n${line.slice(0, 60)}`);
  await run(['bash', '-c', command], eaas.env);
  expect(idsOf(jsonLines(await readFile(file, 'utf8')), bob)).toEqual(upTo(await headOf(bob)));
  await writeFile(cursor, 'not a cursor\n');
  const refused = await stream(cursor, '--no-follow');
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('is not a cursor');
});

test('the syslog format follows RFC 5424, and has the fields of every entry', async () => {
  const { stdout } = await stream(await newCursor(), '--no-follow', '--tenants', 'bob', '--format', 'syslog');
  const messages = stdout.split('\n').slice(0, -1).map(parseSyslog);
  expect(messages.map(({ data }) => Number(data['entry@32473']?.['id']))).toEqual(upTo(await headOf(bob)));
  expect(messages[0]).toMatchObject({ facility: 13, severity: 6, app: 'eaas', id: 'key.create' });
});

test.each(['ndjson', 'syslog', 'text'])('the format %s contains contexts but no secret', async (format) => {
  const dek = randomBytes(32).toString('base64');
  const operator = insider(bob.id, 'operator');
  const body = { key_id: bob.keyId, dek, context: { canary } };
  const { wrapped_key } = await operations['POST /v1/keys/:key_id/wrap'](open.service, operator, body);
  const permissions = ['--permissions', 'encrypt'];
  const [made] = await eaas.json<{ api_key: string }>(
    'api-key',
    'create',
    '--tenant',
    'bob',
    '--name',
    'a',
    ...permissions,
  );
  const { stdout } = await stream(await newCursor(), '--no-follow', '--tenants', 'bob', '--format', format);
  expect(stdout).toContain(canary);
  const secrets = [dek, wrapped_key, made?.api_key ?? '', eaas.env['EAAS_ROOT_KEY'] ?? ''];
  expect(secrets.map((secret) => secret.length > 40 && stdout.includes(secret))).toEqual(
    secrets.map(() => false),
  );
});

test('audit stream prints a notice for a changed entry, skips later entries of that log only, and exits with 1', async () => {
  const mallory = await newTenant('mallory');
  await append(mallory, 5);
  const closing: (() => Promise<void>)[] = [];
  const attacker = await openAttacker({
    database: eaas.database,
    onClose: (step) => void closing.push(step),
  });
  onTestFinished(async () => {
    for (const step of closing) await step();
  });
  await attacker.sql`update eaas.audit_entries set actor = 'nobody' where tenant_id = ${mallory.id} and id = 4`;
  const { code, stdout, stderr } = await stream(await newCursor(), '--no-follow');
  expect(code).toBe(1);
  const lines = jsonLines<Line>(stdout);
  expect(lines.filter(({ tenant_id }) => tenant_id === mallory.id)).toMatchObject([
    { id: 1 },
    { id: 2 },
    { id: 3 },
    { id: 4, notice: 'entry_changed' },
  ]);
  expect(idsOf(lines, bob)).toEqual(upTo(await headOf(bob)));
  expect(stderr).toContain(`${mallory.id}, entry 4: This entry is not authentic`);
});

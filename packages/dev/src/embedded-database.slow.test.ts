import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Purpose } from '@eaas/server/internal';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { runs } from './account.ts';
import { embeddedBinaries } from './binaries.ts';
import { startEmbeddedDatabase } from './embedded-database.ts';
import { readPostmaster, signal } from './launch.ts';

const PROCESS = fileURLToPath(new URL('../test/embedded-process.ts', import.meta.url));

interface Event {
  ready?: string;
  last?: number;
  written?: number;
  closed?: boolean;
  error?: string;
}

async function newDataDirectory(): Promise<string> {
  const path = join(await newDirectory(), 'data');
  await mkdir(path, { mode: 0o700 });
  return path;
}

// Several tests use this data directory. When a test starts, the PostgreSQL of the previous test can still run.
const used = await newDataDirectory();

function startProcess(path: string, purpose: Purpose, through: string[] = []) {
  const env = { ...process.env, TMPDIR: dirname(path) };
  const [program = '', ...args]: string[] = [
    ...through,
    process.execPath,
    '--import',
    'tsx',
    PROCESS,
    path,
    purpose,
  ];
  const child = spawn(program, args, { env });
  onTestFinished(async () => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const notes: string[] = [];
  child.stderr.on('data', (chunk) => notes.push(String(chunk)));
  return {
    notes,
    order: (order: 'write' | 'close') => child.stdin.write(`${order}\n`),
    next: async (): Promise<Event> => JSON.parse((await lines.next()).value ?? '{}') as Event,
    async kill() {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}

test('no commit is lost if the process that runs the embedded database is killed under load', async () => {
  const killed = startProcess(used, 'serve');
  const { ready } = await killed.next();
  killed.order('write');
  const committed = new Set<number>();
  while (committed.size < 200) committed.add((await killed.next()).written ?? 0);
  await killed.kill();

  const successor = startProcess(used, 'serve');
  const { ready: sameStart, last = 0 } = await successor.next();
  expect(sameStart).toBe(ready);
  expect(last).toBeGreaterThanOrEqual(Math.max(...committed));

  const command = await startEmbeddedDatabase(used, 'command');
  const sql = postgres(command.connection('owner'));
  const rows = await sql<{ number: string }[]>`select number from written`;
  await sql.end();
  await command.close();
  const kept = new Set(rows.map((row) => Number(row.number)));
  expect([...committed].filter((number) => !kept.has(number))).toEqual([]);
  successor.order('close');
  expect(await successor.next()).toEqual({ closed: true });
  expect(existsSync(join(used, 'postgres', 'postmaster.pid'))).toBe(false);
});

test('the embedded database starts after all its processes were killed', async () => {
  const killed = startProcess(used, 'serve');
  const { ready } = await killed.next();
  const { pid } = await readPostmaster(join(used, 'postgres'));
  await killed.kill();
  signal(pid, 'SIGKILL');
  const successor = startProcess(used, 'serve');
  const next = await successor.next();
  expect(next.error).toBeUndefined();
  expect(next.ready).not.toBe(ready);
  successor.order('close');
  expect(await successor.next()).toEqual({ closed: true });
});

test('only one of two concurrent servers starts on a new directory', async () => {
  const path = await newDataDirectory();
  const two = [startProcess(path, 'serve'), startProcess(path, 'serve')] as const;
  const events = await Promise.all(two.map((each) => each.next()));
  const winner = two[events.findIndex((event) => event.ready !== undefined)];
  const refusal = events.find((event) => event.error !== undefined)?.error;
  expect(refusal).toContain(`Another process already serves the data directory ${path}.`);
  expect(refusal).toContain('set EAAS_DATABASE_URL');
  winner?.order('close');
  expect(await winner?.next()).toEqual({ closed: true });
  expect(await readdir(path)).toEqual(['postgres']);
});

test('a server and commands share the embedded PostgreSQL, and the last one stops it', async () => {
  const started = ['command', 'serve', 'command', 'command'] as const;
  const processes = started.map((purpose) => startProcess(used, purpose));
  const starts = await Promise.all(processes.map(async (each) => (await each.next()).ready));
  expect(new Set(starts)).toEqual(new Set([expect.any(String)]));
  expect(new Set(starts).size).toBe(1);
  const file = join(used, 'postgres', 'postmaster.pid');
  for (const each of processes) {
    expect(existsSync(file)).toBe(true);
    each.order('close');
    expect(await each.next()).toEqual({ closed: true });
  }
  expect(existsSync(file)).toBe(false);
});

test('a server whose PostgreSQL ends says so, and what to do', async () => {
  const server = startProcess(used, 'serve');
  await server.next();
  const { pid } = await readPostmaster(join(used, 'postgres'));
  expect(server.notes.join('')).not.toContain('PostgreSQL ended');
  signal(pid, 'SIGKILL');
  await expect.poll(() => server.notes.join('')).toContain('postgres.log says why. Stop this process');
});

test('a start waits only a limited time for a PostgreSQL that another process stops', async () => {
  const running = startProcess(used, 'serve');
  await running.next();
  const { socketDirectory: host } = await readPostmaster(join(used, 'postgres'));
  const stopping = postgres({ host, port: 5432, database: 'postgres', username: 'postgres', max: 1 });
  await running.kill();
  await stopping`select pg_advisory_lock(1)`;
  const attempt = startEmbeddedDatabase(used, 'serve', 300);
  await expect(attempt).rejects.toThrow(`Another PostgreSQL already runs on ${join(used, 'postgres')}.`);
  await stopping.end();
  await (await startEmbeddedDatabase(used, 'serve')).close();
});

const canForbidNamespaces =
  process.getuid?.() === 0 &&
  (await runs(['unshare', '--mount', 'mount', '--bind', '/bin/false', '/usr/bin/unshare'])) &&
  (await runs([
    'setpriv',
    '--reuid=65534',
    '--clear-groups',
    'test',
    '-x',
    (await embeddedBinaries()).postgres,
  ]));

test('PostgreSQL runs as the user `nobody` if root cannot create user namespaces', async () => {
  const forbidding = [
    'unshare',
    '--mount',
    'sh',
    '-c',
    'mount --bind /bin/false /usr/bin/unshare && exec "$@"',
    'sh',
  ];
  const accounts: number[] = [];
  for (const how of canForbidNamespaces ? [forbidding, []] : [[]]) {
    const path = await newDataDirectory();
    await chmod(dirname(path), 0o711);
    const serve = startProcess(path, 'serve', how);
    expect((await serve.next()).error).toBeUndefined();
    accounts.push((await stat(join(path, 'postgres'))).uid);
    serve.order('close');
    expect(await serve.next()).toEqual({ closed: true });
    expect(serve.notes.join('').includes('PostgreSQL runs as the user "nobody"')).toBe(how === forbidding);
  }
  expect(accounts).toEqual(canForbidNamespaces ? [65_534, 0] : [process.getuid?.()]);
});

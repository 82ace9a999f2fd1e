import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { runs } from './command-line.ts';
import { embeddedBinaries } from './binaries.ts';
import { startEmbeddedDatabase } from './embedded-database.ts';
import { launchPostgres } from './launch.ts';
import { isAlive, type Owner, type Purpose, readOwner, writeOwner } from './owner.ts';

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

// Several tests use this data directory. When a test starts, the PostgreSQL of the previous test might still be
// stopping.
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
    pid: child.pid,
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
  await killed.next();
  const file = join(used, 'owner.json');
  const owner = await readOwner(file);
  killed.order('write');
  const committed = new Set<number>();
  while (committed.size < 200) committed.add((await killed.next()).written ?? 0);
  await killed.kill();

  const successor = startProcess(used, 'serve');
  const { last = 0 } = await successor.next();
  expect(last).toBeGreaterThanOrEqual(Math.max(...committed));
  expect(owner === undefined || (await isAlive(owner.postgres))).toBe(false);

  const command = await startEmbeddedDatabase(used, 'command');
  const sql = postgres(command.connection('owner'));
  const rows = await sql<{ number: string }[]>`select number from written`;
  await sql.end();
  const kept = new Set(rows.map((row) => Number(row.number)));
  expect([...committed].filter((number) => !kept.has(number))).toEqual([]);
  expect(await readFile(join(used, 'postgres', 'postgres.log'), 'utf8')).toContain(
    'received fast shutdown request',
  );
});

test('only one of two concurrent servers starts on a new directory', async () => {
  const path = await newDataDirectory();
  const two = [startProcess(path, 'serve'), startProcess(path, 'serve')] as const;
  const events = await Promise.all(two.map((each) => each.next()));
  const winner = two[events.findIndex((event) => event.ready !== undefined)];
  const refusal = events.find((event) => event.error !== undefined)?.error;
  expect(refusal).toContain(`process ${winner?.pid} already serves the data directory ${path}.`);
  expect(refusal).toContain('set EAAS_DATABASE_URL');
  winner?.order('close');
  expect(await winner?.next()).toEqual({ closed: true });
  expect(await readdir(path)).toEqual(['postgres']);
});

test('concurrent commands on the embedded database run one after the other', async () => {
  const commands = [1, 2, 3].map(() => startProcess(used, 'command'));
  const starts = await Promise.all(
    commands.map(async (command) => {
      const { ready } = await command.next();
      command.order('close');
      expect(await command.next()).toEqual({ closed: true });
      return ready;
    }),
  );
  expect(new Set(starts).size).toBe(3);
});

test('a command does not stop the embedded PostgreSQL of a running server', async () => {
  const serve = startProcess(used, 'serve');
  const { ready } = await serve.next();
  const command = startProcess(used, 'command');
  expect(await command.next()).toMatchObject({ ready });
  command.order('close');
  expect(await command.next()).toEqual({ closed: true });
  expect(await startProcess(used, 'command').next()).toMatchObject({ ready });
});

test('a server prints that it waits for a command to end', async () => {
  const command = startProcess(used, 'command');
  const { ready } = await command.next();
  const serve = startProcess(used, 'serve');
  await expect
    .poll(() => serve.notes.join(''))
    .toBe(`Waiting for process ${command.pid} to finish with the data directory ${used}.\n`);
  command.order('close');
  const second = await serve.next();
  expect(second.error).toBeUndefined();
  expect(second.ready).not.toBe(ready);
});

test('a server start waits only a limited time for another process', async () => {
  const command = startProcess(used, 'command');
  await command.next();
  const attempt = startEmbeddedDatabase(used, 'serve', { waitAtMost: 300 });
  await expect(attempt).rejects.toThrow(`is in use by process ${command.pid} and did not become free within`);
});

test('a server start stops an embedded PostgreSQL that still runs after its server was killed', async () => {
  const directory = await newDataDirectory();
  const file = join(directory, 'owner.json');
  const orphan = await launchPostgres({
    binaries: await embeddedBinaries(),
    dataDirectory: join(directory, 'postgres'),
    durable: true,
  });
  onTestFinished(orphan.stop);
  await writeOwner(file, 'serve', orphan);
  const owner = JSON.parse(await readFile(file, 'utf8')) as Owner;
  await writeFile(file, JSON.stringify({ ...owner, identity: 'of a process that was killed' }));

  const database = await startEmbeddedDatabase(directory, 'serve');
  onTestFinished(database.close);
  expect(await isAlive(owner.postgres)).toBe(false);
  expect(database.connection('owner').host).not.toBe(orphan.socketDirectory);
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
    await chmod(dirname(used), 0o711);
    const serve = startProcess(used, 'serve', how);
    expect((await serve.next()).error).toBeUndefined();
    accounts.push((await stat(join(used, 'postgres'))).uid);
    serve.order('close');
    expect(await serve.next()).toEqual({ closed: true });
    expect(serve.notes.join('').includes('PostgreSQL runs as the user "nobody"')).toBe(how === forbidding);
  }
  expect(accounts).toEqual(canForbidNamespaces ? [65_534, 0] : [process.getuid?.()]);
});

import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { newDirectory } from '@eaas/test-kit/directory';
import { embeddedBinaries } from './binaries.ts';
import { DataDirectoryInUse, type LaunchOptions, launchPostgres, type RunningPostgres } from './launch.ts';

const parent = await newDirectory();

async function options(name = 'shared'): Promise<LaunchOptions> {
  const dataDirectory = join(parent, name, 'postgres');
  await mkdir(join(parent, name), { recursive: true });
  return { binaries: await embeddedBinaries(), dataDirectory, durable: false };
}

async function launch(launchOptions: LaunchOptions): Promise<RunningPostgres> {
  const running = await launchPostgres(launchOptions);
  onTestFinished(running.stop);
  return running;
}

function connect({ socketDirectory: host, port }: RunningPostgres): postgres.Sql {
  return postgres({ host, port, database: 'postgres', username: 'postgres', max: 1 });
}

test('the embedded PostgreSQL listens only on a private socket', async () => {
  const running = await launch(await options());
  expect((await stat(running.socketDirectory)).mode & 0o777).toBe(0o700);
  const sql = connect(running);
  const [row] =
    await sql`select current_setting('listen_addresses') as tcp, current_setting('server_encoding') as encoding,
    current_setting('data_checksums') as checksums, current_setting('fsync') as fsync`;
  expect(row).toEqual({ tcp: '', encoding: 'UTF8', checksums: 'on', fsync: 'off' });
  await sql.end();
  await Promise.all([running.stop(), running.stop()]);
  await running.stop();
  await expect(stat(running.socketDirectory)).rejects.toThrow('ENOENT');
});

test('the embedded PostgreSQL does not get the environment variables of the server', async () => {
  process.env['EAAS_ROOT_KEY'] = 'a secret';
  onTestFinished(() => void delete process.env['EAAS_ROOT_KEY']);
  const running = await launch(await options());
  const sql = connect(running);
  await sql`create temporary table environment (variable text)`;
  await sql`copy environment from program 'env | cut -d= -f1'`;
  const variables = (await sql<{ variable: string }[]>`select variable from environment`).map(
    (row) => row.variable,
  );
  await sql.end();
  expect(variables).toContain('PATH');
  expect(variables).not.toContain('EAAS_ROOT_KEY');
});

test('a second start on a data directory does not stop the first PostgreSQL', async () => {
  const first = await options();
  const running = await launch(first);
  await expect(launchPostgres(first)).rejects.toThrow(DataDirectoryInUse);
  const sql = connect(running);
  expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  await sql.end();
});

test('the error of a failed start contains the output of PostgreSQL', async () => {
  const wrong = { ...(await options()), settings: { shared_buffers: 'a lot' } };
  const failure = launchPostgres(wrong);
  await expect(failure).rejects.toThrow(`PostgreSQL did not start on ${wrong.dataDirectory}.`);
  await expect(failure).rejects.toThrow('invalid value for parameter "shared_buffers": "a lot"');
});

test('a PostgreSQL that takes too long to start is stopped', async () => {
  const late = { ...(await options()), readyWithin: -1 };
  await expect(launchPostgres(late)).rejects.toThrow('PostgreSQL was not ready after');
  await launch({ ...late, readyWithin: 60_000 });
});

test('the next start removes the files of an initdb that was killed', async () => {
  const next = await options('killed');
  const unfinished = `${next.dataDirectory}.unfinished-abc123`;
  await mkdir(unfinished, { recursive: true });
  await writeFile(join(unfinished, 'PG_VERSION'), '');
  await launch(next);
  expect(await readdir(join(next.dataDirectory, '..'))).toEqual(['postgres']);
});

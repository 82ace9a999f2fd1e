import { mkdtemp, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { whereAvailable } from '@eaas/test-kit/available';
import { closing } from '@eaas/test-kit/closing';
import { jsonLines } from '@eaas/test-kit/command-line';
import { send } from '@eaas/test-kit/faults/client';
import { operate, startReplica } from '@eaas/test-kit/faults/place';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { eaas, run } from '@eaas/test-kit/program';

const volume = await mkdtemp(join(tmpdir(), 'eaas-volume-'));
const mounted = await run(['mount', '-t', 'tmpfs', '-o', 'size=160m,mode=755', 'eaas-test', volume], {});
afterAll(async () => {
  if (mounted.code === 0) await run(['umount', '--lazy', volume], {});
  await rmdir(volume);
});

const filler = join(volume, 'filler');

whereAvailable('a small file system (root may mount a tmpfs)', mounted.code === 0, () => {
  test('with a full disk or a stopped database, the log says what to do, and doctor says the same', async () => {
    const settings = { max_wal_size: '32MB', min_wal_size: '32MB' };
    const starting = OwnPostgres.start('installed', true, settings, join(volume, 'data'));
    const postgres = await closing(starting, (it) => it.drop());
    const operator = await closing(operate(postgres.url), (it) => it.close());
    const { token } = await operator.newTenant({ name: 'acme' });
    const server = await closing(startReplica(operator.env), (it) => it.kill());
    let calls = 0;
    const create = async () =>
      (await send(server, token, 'POST', '/v1/keys', { name: `key ${calls++}` })).status;
    const errors = () =>
      jsonLines<{ err?: { message?: string } }>((server.log().match(/^\{.*\n/gm) ?? []).join(''));
    const logged = (remedy: string) => errors().filter(({ err }) => err?.message?.includes(remedy)).length;
    const said = async (...command: string[]) => {
      const { stdout, stderr } = await run([...eaas, ...command], operator.env);
      return stdout + stderr;
    };

    await run(['dd', 'if=/dev/zero', `of=${filler}`, 'bs=64k'], {});
    const full = 'the disk of the database is full: extend its volume';
    expect(await said('doctor')).toMatch(new RegExp(`^failed +disk .*: ${full}`, 'm'));
    await expect.poll(create).toBe(500);
    await expect.poll(() => logged(full)).toBeGreaterThan(0);
    // Each grant writes a row of PostgreSQL's own tables.
    await expect.poll(() => said('migrate')).toMatch(new RegExp(`^[^\\n]*: ${full}[^\\n]*\\n$`));
    await rm(filler);
    await expect.poll(create).toBe(201);
    expect(await said('doctor')).toMatch(/^ok +disk /m);

    await postgres.crash();
    const stopped = 'start the database';
    expect(await create()).toBe(503);
    // The line leaves at the end of its turn of the event loop, which can be after the answer.
    await expect.poll(() => logged(stopped)).toBeGreaterThan(0);
    expect(await said('doctor')).toMatch(new RegExp(`^failed +database .*: ${stopped}`, 'm'));
    await postgres.start();
    await expect.poll(create).toBe(201);
  });
});

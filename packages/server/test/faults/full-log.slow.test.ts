import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { eaas, inherited } from '@eaas/test-kit/program';
import { environmentOf, migrated, createDatabase } from '@eaas/test-kit/database';
import { freePort } from '@eaas/test-kit/free-port';

const database = await createDatabase(migrated);
const service = environmentOf(database.url);

test.each(['its log', 'its log and its errors'])(
  'a server that cannot write %s serves, and ends on SIGTERM',
  async (unwritten) => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const port = await freePort();
    const [program = '', ...args] = eaas;
    const env = { ...inherited(), ...service, EAAS_PORT: String(port) };
    const stdio = ['ignore', full, unwritten.includes('errors') ? full : 'ignore'] as const;
    const child = spawn(program, [...args, 'serve'], { env, stdio: [...stdio] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    const ready = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status;
    await expect.poll(async () => child.exitCode ?? (await ready())).toBe(200);
    // Each call is a line in the log.
    for (let call = 0; call < 20; call++) {
      expect((await fetch(`http://127.0.0.1:${port}/v1/keys`)).status).toBe(401);
    }
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  },
  60_000,
);

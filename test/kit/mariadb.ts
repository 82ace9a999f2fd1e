import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const programs = { install: 'mariadb-install-db', server: 'mariadbd' };

export interface MariaDb {
  readonly socket: string;
  stop(): Promise<void>;
}

export async function startMariaDb(): Promise<MariaDb> {
  const folder = mkdtempSync(join(tmpdir(), 'eaas-maria-'));
  const [data, socket] = [join(folder, 'data'), join(folder, 's')];
  const user = process.getuid?.() === 0 ? ['--user=root'] : [];
  const common = ['--no-defaults', `--datadir=${data}`, ...user];
  await promisify(execFile)(programs.install, [...common, '--auth-root-authentication-method=normal']);
  const path = `${process.env['PATH'] ?? ''}:/usr/sbin`;
  const server = spawn(programs.server, [...common, `--socket=${socket}`, '--skip-networking'], {
    env: { ...process.env, PATH: path },
    stdio: 'ignore',
  });
  const ended = once(server, 'exit');
  while (!existsSync(socket)) {
    if (server.exitCode !== null) throw new Error('MariaDB did not start');
    await sleep(50);
  }
  return {
    socket,
    async stop() {
      server.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

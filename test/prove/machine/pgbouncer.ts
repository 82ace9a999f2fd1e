import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { environment, postgresAccount, under } from '../../../packages/server/src/embedded/command-line.ts';
import type { Findings } from '../trial.ts';
import { type Cluster, withoutStandby } from './cluster.ts';

const port = 6432;

export async function withoutPgbouncer(): Promise<string | undefined> {
  const options = { env: environment };
  const installed = promisify(execFile)('pgbouncer', ['--version'], options).then(
    () => undefined,
    () => 'pgbouncer is not installed',
  );
  return (await installed) ?? withoutStandby();
}

/** Starts pgbouncer. After a failed login at the database, pgbouncer refuses clients for `loginRetry` seconds. */
export async function startPgbouncer(
  findings: Findings,
  cluster: Cluster,
  loginRetry: number,
  poolSize = 60,
): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'eaas-prove-'));
  findings.defer(() => rm(home, { recursive: true, force: true }));
  const users = join(home, 'users.txt');
  const file = join(home, 'pgbouncer.ini');
  await writeFile(users, '"eaas_server" ""\n');
  await writeFile(file, configuration(home, users, cluster, { loginRetry, poolSize }));
  const account = await postgresAccount();
  const [program, ...args] = [...(await under(account)), 'pgbouncer', '-q', file];
  const stdio = process.env['PROVE_VERBOSE'] ? 'inherit' : 'ignore';
  const child = spawn(program, args, { ...account.ids, cwd: '/', env: environment, stdio });
  findings.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  for (let attempt = 0; !(await accepts(join(home, `.s.PGSQL.${port}`))); attempt++) {
    if (child.exitCode !== null || attempt > 500) throw new Error('pgbouncer did not start');
    await sleep(10);
  }
  return `postgres://eaas_server@${encodeURIComponent(home)}:${port}/eaas?prepare=false`;
}

interface Limits {
  readonly loginRetry: number;
  readonly poolSize: number;
}

function configuration(
  home: string,
  users: string,
  cluster: Cluster,
  { loginRetry, poolSize }: Limits,
): string {
  return [
    '[databases]',
    `eaas = host=${cluster.socket} port=5432 dbname=eaas`,
    '[pgbouncer]',
    'listen_addr =',
    `listen_port = ${port}`,
    `unix_socket_dir = ${home}`,
    'auth_type = trust',
    `auth_file = ${users}`,
    'pool_mode = transaction',
    'max_client_conn = 1000',
    `default_pool_size = ${poolSize}`,
    `server_login_retry = ${loginRetry}`,
    '',
  ].join('\n');
}

async function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { environment, postgresAccount } from '../../../packages/dev/src/account.ts';
import { accepts } from '@eaas/test-kit/accepts';
import { isInstalled } from '@eaas/test-kit/available';
import type { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { endingWithUs } from '@eaas/test-kit/processes';
import type { Findings } from '../trial.ts';

const port = 6432;

export async function withoutPgbouncer(): Promise<string | undefined> {
  const folders = ['/usr/sbin', '/usr/local/sbin'];
  return isInstalled('pgbouncer', ...folders) ? undefined : 'pgbouncer is not installed';
}

/** After a failed login at the database, pgbouncer refuses clients for `loginRetry` seconds. */
export async function startPgbouncer(
  findings: Findings,
  database: OwnPostgres,
  loginRetry: number,
): Promise<string> {
  const home = await findings.newDirectory();
  const users = join(home, 'users.txt');
  const file = join(home, 'pgbouncer.ini');
  await writeFile(users, '"eaas_server" ""\n');
  const lines = [
    '[databases]',
    `eaas = host=${database.connection('server').host} port=5432 dbname=eaas`,
    '[pgbouncer]',
    'listen_addr =',
    `listen_port = ${port}`,
    `unix_socket_dir = ${home}`,
    'auth_type = trust',
    `auth_file = ${users}`,
    'pool_mode = transaction',
    'max_client_conn = 1000',
    'default_pool_size = 60',
    `server_login_retry = ${loginRetry}`,
    '',
  ];
  await writeFile(file, lines.join('\n'));
  // It refuses to run as root, like PostgreSQL.
  const account = await postgresAccount();
  const command = [...account.prefix, ...(await endingWithUs()), 'pgbouncer', '-q', file];
  const [program = '', ...args] = command;
  const stdio = process.env['PROVE_VERBOSE'] ? 'inherit' : 'ignore';
  const child = spawn(program, args, { ...account.ids, cwd: '/', env: environment, stdio });
  const ended = once(child, 'exit');
  findings.defer(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const path = join(home, `.s.PGSQL.${port}`);
  for (const deadline = performance.now() + 30_000; !(await accepts({ path })); await sleep(50)) {
    if (performance.now() > deadline) throw new Error('pgbouncer must accept connections within 30 s');
  }
  return `postgres://eaas_server@${encodeURIComponent(home)}:${port}/eaas?prepare=false`;
}

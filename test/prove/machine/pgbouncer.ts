import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accepts } from '@eaas/test-kit/accepts';
import { isInstalled } from '@eaas/test-kit/available';
import type { Findings } from '../trial.ts';
import { type Cluster, withoutStandby } from './cluster.ts';
import { startDaemon } from './daemon.ts';
import { until } from './until.ts';

const port = 6432;

export async function withoutPgbouncer(): Promise<string | undefined> {
  const folders = ['/usr/sbin', '/usr/local/sbin'];
  return isInstalled('pgbouncer', ...folders) ? withoutStandby() : 'pgbouncer is not installed';
}

/** After a failed login at the database, pgbouncer refuses clients for `loginRetry` seconds. */
export async function startPgbouncer(
  findings: Findings,
  cluster: Cluster,
  loginRetry: number,
): Promise<string> {
  const home = await findings.newDirectory();
  const users = join(home, 'users.txt');
  const file = join(home, 'pgbouncer.ini');
  await writeFile(users, '"eaas_server" ""\n');
  await writeFile(file, configuration(home, users, cluster, loginRetry));
  await startDaemon(findings, ['pgbouncer', '-q', file]);
  const path = join(home, `.s.PGSQL.${port}`);
  await until('pgbouncer accepts connections', 30, () => accepts({ path }));
  return `postgres://eaas_server@${encodeURIComponent(home)}:${port}/eaas?prepare=false`;
}

function configuration(home: string, users: string, cluster: Cluster, loginRetry: number): string {
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
    'default_pool_size = 60',
    `server_login_retry = ${loginRetry}`,
    '',
  ].join('\n');
}

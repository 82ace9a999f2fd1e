import { type ChildProcess, execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { environment } from '../../../../packages/server/src/embedded/command-line.ts';
import { blocksOf, commandsOf, read } from '../../../docs/markdown.ts';
import { accepts } from '../../../setup/accepts.ts';
import { isInstalled } from '../../../setup/available.ts';
import type { Findings } from '../../trial.ts';
import { withoutStandby } from '../cluster.ts';
import { killDaemon, startDaemon } from '../daemon.ts';
import { until } from '../until.ts';
import { exampleFile, type Machine, placeMachines, writeExampleFile } from './files.ts';
import { Node } from './node.ts';

const run = promisify(execFile);

export async function withoutPatroni(): Promise<string | undefined> {
  const folders = ['/usr/sbin', '/usr/local/sbin'];
  const missing = ['patroni', 'etcd', 'haproxy'].filter((program) => !isInstalled(program, ...folders));
  return missing.length > 0 ? `${missing.join(', ')} not installed` : withoutStandby();
}

interface Standby {
  readonly name: string;
  readonly isSynchronous: boolean;
}

/** Runs the high-availability example of the manual, with its files, on the loopback interface. */
export class HighAvailability {
  readonly nodes: readonly Node[];
  readonly #findings: Findings;
  readonly #servers: Machine;
  readonly #members: readonly Machine[];
  readonly #etcd = new Map<Machine, ChildProcess>();

  private constructor(
    findings: Findings,
    servers: Machine,
    members: readonly Machine[],
    nodes: readonly Node[],
  ) {
    this.#findings = findings;
    this.#servers = servers;
    this.#members = members;
    this.nodes = nodes;
  }

  static async start(findings: Findings): Promise<HighAvailability> {
    const { servers, db1, db2, db3 } = await placeMachines(findings);
    const members = [db1, db2, db3];
    const nodes = await Promise.all(members.map((machine) => Node.place(findings, machine)));
    const all = new HighAvailability(findings, servers, members, nodes);
    await all.startEtcd();
    // HAProxy starts before the nodes, because it accepts every node as the primary until its first check.
    const haproxy = await writeExampleFile('haproxy.cfg', servers);
    await startDaemon(findings, ['haproxy', '-q', '-db', '-f', haproxy]);
    await nodes[0]?.start();
    await until('a first primary', 180, async () => (await all.primary()) !== undefined);
    for (const node of nodes.slice(1)) await node.start();
    await until('two standbys', 180, async () => (await all.standbys()).length === 2);
    await all.#createDatabase();
    await until('a synchronous standby', 180, async () =>
      (await all.standbys()).some(({ isSynchronous }) => isSynchronous),
    );
    return all;
  }

  /** Returns the URL of the database through HAProxy. */
  readonly url = (role: 'server' | 'owner'): string =>
    `postgres://eaas_${role}:${role === 'server' ? 'choose-another' : 'choose-one'}@${this.#servers.address}:5000/eaas`;

  /** Starts pgbouncer between the servers and HAProxy, and returns its URL. */
  async startPgbouncer(): Promise<string> {
    const { address } = this.#servers;
    await writeExampleFile('userlist.txt', this.#servers);
    const file = await writeExampleFile('pgbouncer.ini', this.#servers);
    await startDaemon(this.#findings, ['pgbouncer', '-q', file]);
    await until('pgbouncer accepts connections', 10, () => accepts({ host: address, port: 6432 }));
    return `postgres://eaas_server:choose-another@${address}:6432/eaas?prepare=false`;
  }

  /** Starts the members of etcd that are not running. */
  async startEtcd(): Promise<void> {
    for (const machine of this.#members.filter((each) => !this.#etcd.has(each))) {
      const lines = (await exampleFile('etcd.env', machine)).trim().split('\n');
      const env = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
      this.#etcd.set(machine, await startDaemon(this.#findings, ['etcd'], env));
    }
    for (const machine of this.#members) await until('etcd is healthy', 180, () => isHealthy(machine));
  }

  async killEtcd(members: 'leader' | 'all'): Promise<void> {
    for (const [machine, child] of this.#etcd) {
      if (members === 'leader' && !(await leadsEtcd(machine))) continue;
      await killDaemon(child);
      this.#etcd.delete(machine);
      if (members === 'leader') return;
    }
  }

  async primary(): Promise<Node | undefined> {
    const isPrimary = await Promise.all(this.nodes.map((node) => node.isPrimary()));
    return this.nodes.find((_, nth) => isPrimary[nth]);
  }

  async requirePrimary(): Promise<Node> {
    const primary = await this.primary();
    if (!primary) throw new Error('Patroni must report a primary (it reported none)');
    return primary;
  }

  /** Returns the standbys that receive the WAL of the primary. */
  async standbys(): Promise<readonly Standby[]> {
    const primary = await this.primary();
    const query = `select application_name as name, sync_state <> 'async' as "isSynchronous"
      from pg_stat_replication where state = 'streaming'`;
    return (await primary?.query<Standby>(query).catch(() => [])) ?? [];
  }

  /** Runs the `patronictl` command of the manual for this action. */
  async patronictl(action: string): Promise<void> {
    const printed = commandsOf(read('docs/operating/high-availability.md'));
    const command = printed.find((line) => line.startsWith('patronictl ') && line.includes(` ${action} `));
    const config = this.nodes[0]?.config ?? '';
    const words = command?.replace('/etc/patroni/config.yml', config).split(' ').slice(1) ?? [];
    await run('patronictl', words, { env: { ...environment, LC_ALL: 'C.UTF-8' } });
  }

  /** Creates the roles and the database with the statements of the manual. */
  async #createDatabase(): Promise<void> {
    const primary = await this.requirePrimary();
    const [roles = ''] = blocksOf(read('packages/server/README.md'), 'sql');
    for (const statement of roles.replace(/--.*$/gm, '').split(';')) await primary.query(statement);
  }
}

async function isHealthy({ address }: Machine): Promise<boolean> {
  return fetch(`http://${address}:2379/health`, { signal: AbortSignal.timeout(1_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

interface Status {
  readonly header: { readonly member_id: string };
  readonly leader: string;
}

async function leadsEtcd({ address }: Machine): Promise<boolean> {
  const options = { method: 'POST', body: '{}', signal: AbortSignal.timeout(2_000) };
  const response = await fetch(`http://${address}:2379/v3/maintenance/status`, options);
  const { header, leader } = (await response.json()) as Status;
  return header.member_id === leader;
}

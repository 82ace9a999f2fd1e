import { blocksOf, readManual } from '@eaas/test-kit/markdown';
import { accepts } from '@eaas/test-kit/accepts';
import { isInstalled } from '@eaas/test-kit/available';
import type { Findings } from '../../trial.ts';
import { withoutStandby } from '../cluster.ts';
import { startDaemon } from '../daemon.ts';
import { until } from '../until.ts';
import { Etcd } from './etcd.ts';
import { copyExampleFile, type Machine, passwords, placeMachines } from './files.ts';
import { Node } from './node.ts';
import { configure, exported, isComplete, listMembers, type Member, runPrinted } from './printed.ts';

/** A busy machine needs a minute to set up the cluster. */
const setUpWithinSeconds = 180;

export async function withoutPatroni(): Promise<string | undefined> {
  const folders = ['/usr/sbin', '/usr/local/sbin'];
  const programs = ['patroni', 'patronictl', 'etcd', 'haproxy', 'psql'];
  const missing = programs.filter((program) => !isInstalled(program, ...folders));
  return missing.length > 0 ? `${missing.join(', ')} not installed` : withoutStandby();
}

interface Urls {
  readonly server: string;
  readonly owner: string;
}

interface Standby {
  readonly name: string;
  readonly isSynchronous: boolean;
}

interface Machines {
  readonly servers: Machine;
  readonly operator: Machine;
}

export class HighAvailability {
  readonly nodes: readonly Node[];
  readonly etcd: Etcd;
  readonly #findings: Findings;
  readonly #machines: Machines;
  readonly #urls: Urls;

  private constructor(
    findings: Findings,
    machines: Machines,
    etcd: Etcd,
    nodes: readonly Node[],
    urls: Urls,
  ) {
    this.#findings = findings;
    this.#machines = machines;
    this.etcd = etcd;
    this.nodes = nodes;
    this.#urls = urls;
  }

  static async start(findings: Findings): Promise<HighAvailability> {
    const { servers, db1, db2, db3 } = await placeMachines(findings);
    const members = [db1, db2, db3];
    for (const machine of members) await configure(machine);
    const etcd = new Etcd(findings, members);
    const nodes = members.map((machine) => new Node(findings, machine));
    const urls = {
      owner: await exported('urls', 'EAAS_MIGRATE_DATABASE_URL', servers),
      server: await exported('urls', 'EAAS_DATABASE_URL', servers),
    };
    const all = new HighAvailability(findings, { servers, operator: db1 }, etcd, nodes, urls);
    await etcd.start();
    // Until its first health check, HAProxy sends writes to any node. So HAProxy starts before the nodes.
    const haproxy = await copyExampleFile('haproxy.cfg', servers, 'etc/haproxy');
    await startDaemon(findings, ['haproxy', '-q', '-db', '-f', haproxy]);
    const [first, ...others] = nodes;
    await first?.start();
    await until('a first primary', setUpWithinSeconds, async () => (await all.primary()) !== undefined);
    for (const node of others) await node.start();
    await all.complete();
    await all.#createDatabase();
    await all.complete();
    return all;
  }

  async complete(): Promise<void> {
    await until('two standbys', setUpWithinSeconds, async () => (await this.standbys()).length === 2);
    let seen: readonly Member[] = [];
    const shown = async (): Promise<boolean> => isComplete((seen = await this.list()));
    await until('a leader, a synchronous standby and no lag', setUpWithinSeconds, shown).catch(
      (error: unknown) => {
        throw new Error(`patronictl list shows ${JSON.stringify(seen)}`, { cause: error });
      },
    );
  }

  readonly url = (role: keyof Urls): string => this.#urls[role];

  async startPgbouncer(): Promise<string> {
    const { servers } = this.#machines;
    await copyExampleFile('userlist.txt', servers, 'etc/pgbouncer');
    const file = await copyExampleFile('pgbouncer.ini', servers, 'etc/pgbouncer');
    await startDaemon(this.#findings, ['pgbouncer', '-q', file]);
    const address = { host: servers.address, port: 6432 };
    await until('pgbouncer accepts connections', setUpWithinSeconds, () => accepts(address));
    return exported('pooledUrl', 'EAAS_DATABASE_URL', servers);
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

  requireNode(name: string): Node {
    const node = this.nodes.find((one) => one.name === name);
    if (!node)
      throw new Error(`the example of the page about high availability must have a node ${name} (got none)`);
    return node;
  }

  async standbys(): Promise<readonly Standby[]> {
    const primary = await this.primary();
    const query = `select application_name as name, sync_state <> 'async' as "isSynchronous"
      from pg_stat_replication where state = 'streaming'`;
    return (await primary?.query<Standby>(query).catch(() => [])) ?? [];
  }

  async list(): Promise<readonly Member[]> {
    return listMembers(this.#machines.operator);
  }

  async patronictl(action: 'switchover' | 'reinit'): Promise<void> {
    await runPrinted(action, { machine: this.#machines.operator });
  }

  async #createDatabase(): Promise<void> {
    const [statements = ''] = blocksOf(readManual(), 'sql');
    const input = `\\set ON_ERROR_STOP on\n${statements}`;
    const env = { PGPASSWORD: passwords.superuser };
    await runPrinted('psql', { machine: this.#machines.servers, input, env });
  }
}

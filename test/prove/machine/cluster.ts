import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { environment, postgresAccount } from '../../../packages/dev/src/account.ts';
import { createOwnedDatabase, ensureRoles, ROLES } from '../../../packages/dev/src/embedded-database.ts';
import { signal } from '../../../packages/dev/src/launch.ts';
import { childrenOf, endingWithUs } from '@eaas/test-kit/processes';
import { installedBinaries } from '@eaas/test-kit/installed-binaries';
import type { Findings } from '../trial.ts';

const run = promisify(execFile);
const port = 5432;

type Settings = Readonly<Record<string, string>>;
type Role = keyof typeof ROLES | 'superuser';

export async function postgresPrograms(): Promise<string | undefined> {
  const found = await installedBinaries(process.env['PATH'] ?? '');
  if (!found) return undefined;
  const programs = dirname(found.postgres);
  return access(join(programs, 'pg_basebackup')).then(
    () => programs,
    () => undefined,
  );
}

export async function withoutStandby(): Promise<string | undefined> {
  return (await postgresPrograms()) ? undefined : 'PostgreSQL with pg_basebackup is not installed';
}

export class Cluster {
  readonly socket: string;
  readonly #home: string;
  readonly #settings: Settings;
  readonly #env: Settings;
  #process: ChildProcess | undefined;
  #frozen: number[] = [];

  private constructor(home: string, settings: Settings, env: Settings) {
    this.#home = home;
    this.#settings = settings;
    this.#env = env;
    this.socket = join(home, 'socket');
  }

  static async create(findings: Findings, settings: Settings = {}, env: Settings = {}): Promise<Cluster> {
    const cluster = await Cluster.#place(findings, settings, env);
    const options = ['--username=postgres', '--encoding=UTF8', '--locale=C', '--auth=trust', '--no-sync'];
    await cluster.#program('initdb', [`--pgdata=${cluster.#data}`, ...options]);
    await cluster.start();
    const sql = cluster.connect(findings, 'superuser', 'postgres');
    await ensureRoles(sql);
    await createOwnedDatabase(sql, 'eaas');
    return cluster;
  }

  async standby(findings: Findings): Promise<Cluster> {
    const standby = await Cluster.#place(findings, this.#settings, {});
    const from = `host=${this.socket} port=${port} user=postgres application_name=standby`;
    const options = ['--checkpoint=fast', '--write-recovery-conf', '--no-sync', `--dbname=${from}`];
    await this.#program('pg_basebackup', [`--pgdata=${standby.#data}`, ...options]);
    await standby.start();
    await this.#until('select 1 from pg_stat_replication where state = $1', ['streaming']);
    return standby;
  }

  static async #place(findings: Findings, settings: Settings, env: Settings): Promise<Cluster> {
    const home = await mkdtemp(join(tmpdir(), 'eaas-prove-'));
    const cluster = new Cluster(home, settings, env);
    findings.defer(async () => {
      await cluster.kill();
      await rm(home, { recursive: true, force: true });
    });
    await run('mkdir', ['-m', '0700', cluster.socket]);
    return cluster;
  }

  async start(): Promise<void> {
    for (let attempt = 0; attempt < 50; attempt++) {
      if (await this.#launch()) return;
      await sleep(100);
    }
    throw new Error(`PostgreSQL did not start in the directory ${this.#home}`);
  }

  async #launch(): Promise<boolean> {
    const account = await postgresAccount();
    const settings = { unix_socket_directories: this.socket, max_connections: '200', ...this.#settings };
    const values = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const postgres = join((await postgresPrograms()) ?? '', 'postgres');
    const [program, ...args] = [...account.prefix, ...(await endingWithUs()), postgres, `-D${this.#data}`];
    const child = spawn(program, [...args, '-h', '', `-p${port}`, ...values], {
      ...account.ids,
      cwd: '/',
      env: { ...environment, ...this.#env },
      stdio: process.env['PROVE_VERBOSE'] ? 'inherit' : 'ignore',
    });
    this.#process = child;
    while (child.exitCode === null && child.signalCode === null) {
      const lines = (await readFile(join(this.#data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
      if (lines[0] === String(child.pid) && lines[7]?.trim() === 'ready') return true;
      await sleep(10);
    }
    return false;
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    for (const pid of [child.pid, ...(await childrenOf(child.pid))]) signal(pid, 'SIGKILL');
    await ended;
    this.#frozen = [];
  }

  async freeze(role?: string): Promise<void> {
    const pid = this.#process?.pid ?? 0;
    const children = await childrenOf(pid);
    if (role === undefined) this.#frozen = [pid, ...children];
    else {
      const titles = await Promise.all(
        children.map((child) => readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')),
      );
      this.#frozen = children.filter((_, nth) => titles[nth]?.includes(role));
    }
    for (const one of this.#frozen) signal(one, 'SIGSTOP');
  }

  thaw(): void {
    for (const pid of this.#frozen.splice(0)) signal(pid, 'SIGCONT');
  }

  async makeSynchronous(): Promise<void> {
    await this.#statement("alter system set synchronous_standby_names = 'ANY 1 (standby)'");
    await this.#statement('select pg_reload_conf()');
    await this.#until('select 1 from pg_stat_replication where sync_state = $1', ['quorum']);
  }

  async cutOff(standby: Cluster): Promise<void> {
    await this.#until('select 1 from pg_stat_replication where replay_lsn >= pg_current_wal_lsn()', []);
    await standby.#statement("alter system set primary_conninfo = ''");
    await standby.#statement('select pg_reload_conf()');
    await this.#until('select 1 where not exists (select from pg_stat_replication)', []);
  }

  async promote(): Promise<void> {
    await this.#statement('select pg_promote()');
  }

  connection(role: Role): { host: string; port: number; database: string; username: string } {
    return { host: this.socket, port, database: 'eaas', username: nameOf(role) };
  }

  readonly url = (role: Role): string =>
    `postgres://${nameOf(role)}@${encodeURIComponent(this.socket)}:${port}/eaas`;

  connect(findings: Findings, role: Role, database = 'eaas'): postgres.Sql {
    const sql = postgres({ ...this.connection(role), database, max: 2, onnotice: () => {} });
    findings.defer(() => sql.end({ timeout: 1 }));
    return sql;
  }

  async #program(name: string, args: readonly string[]): Promise<string> {
    const { prefix, ids } = await postgresAccount();
    const [program = '', ...all] = [...prefix, join((await postgresPrograms()) ?? '', name), ...args];
    return (await run(program, all, { ...ids, cwd: '/', env: environment })).stdout;
  }

  async #statement(text: string, values: readonly string[] = []): Promise<number> {
    const options = { ...this.connection('superuser'), database: 'postgres', max: 1, onnotice: () => {} };
    const sql = postgres(options);
    try {
      return (await sql.unsafe(text, [...values])).count;
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  async #until(query: string, values: readonly string[]): Promise<void> {
    for (let attempt = 0; attempt < 1_000; attempt++) {
      if ((await this.#statement(query, values)) > 0) return;
      await sleep(20);
    }
    throw new Error(`PostgreSQL returned no row in time for the query: ${query}`);
  }

  get #data(): string {
    return join(this.#home, 'data');
  }
}

const nameOf = (role: Role): string => (role === 'superuser' ? 'postgres' : ROLES[role]);

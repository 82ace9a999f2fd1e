import type { ChildProcess } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { childrenOf } from '@eaas/test-kit/processes';
import type { Findings } from '../../trial.ts';
import { killDaemon, signal, startDaemon } from '../daemon.ts';
import { holdsWithin } from '../until.ts';
import { type Machine, passwords } from './files.ts';

export class Node {
  readonly name: string;
  readonly address: string;
  readonly #findings: Findings;
  readonly #home: string;
  #patroni: ChildProcess | undefined;

  constructor(findings: Findings, { name, address, home }: Machine) {
    this.#findings = findings;
    this.name = name;
    this.address = address;
    this.#home = home;
    findings.defer(() => this.kill());
  }

  async start(): Promise<void> {
    this.#patroni = await startDaemon(this.#findings, [
      'patroni',
      join(this.#home, 'etc/patroni/config.yml'),
    ]);
  }

  /** Patroni is killed first, so that it cannot react to the end of PostgreSQL. */
  async kill(): Promise<void> {
    const postmaster = await this.#postmaster();
    const children = await childrenOf(postmaster);
    if (this.#patroni) await killDaemon(this.#patroni);
    if (postmaster === 0) return;
    for (const pid of [postmaster, ...children]) signal(pid, 'SIGKILL');
    // Until the system has removed the killed process, Patroni believes that PostgreSQL runs.
    await holdsWithin(10, async () => !signal(postmaster, 0));
  }

  /**
   * Damages the database so that PostgreSQL cannot start: deletes `pg_control`. Deleted WAL files would not be enough,
   * because a standby gets them again.
   */
  async loseControlFile(): Promise<void> {
    await rm(join(this.#data, 'global/pg_control'));
  }

  async freeze(): Promise<void> {
    for (const pid of [...(await this.#pidsOf('patroni')), ...(await this.#pidsOf('postgres'))]) {
      signal(pid, 'SIGSTOP');
    }
  }

  async thaw(which: 'patroni' | 'postgres'): Promise<void> {
    for (const pid of await this.#pidsOf(which)) signal(pid, 'SIGCONT');
  }

  /** Asks Patroni for the node's role, at the URL that HAProxy uses for its checks. */
  async isPrimary(): Promise<boolean> {
    const url = `http://${this.address}:8008/primary`;
    return fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  connect(user: string, password: string, database: string): postgres.Sql {
    const address = { host: this.address, port: 5432, user, password, database };
    return postgres({ ...address, max: 1, connect_timeout: 3, onnotice: () => {} });
  }

  async query<Row extends object>(text: string): Promise<readonly Row[]> {
    const sql = this.connect('postgres', passwords.superuser, 'postgres');
    try {
      return await sql.unsafe<Row[]>(text);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  async #pidsOf(which: 'patroni' | 'postgres'): Promise<number[]> {
    const pid = which === 'patroni' ? (this.#patroni?.pid ?? 0) : await this.#postmaster();
    return pid > 0 ? [pid, ...(await childrenOf(pid))] : [];
  }

  get #data(): string {
    return join(this.#home, 'var/lib/postgresql/15/eaas');
  }

  async #postmaster(): Promise<number> {
    const file = join(this.#data, 'postmaster.pid');
    const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n', 1)[0]);
    // Checks the command line, because after a kill, the process id in postmaster.pid can belong to another process.
    const title = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return title.includes(this.#home) ? pid : 0;
  }
}

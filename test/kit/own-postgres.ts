import { mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import type { PostgresBinaries } from '../../packages/dev/src/binaries.ts';
import { ensureOwnedDatabase, ensureRoles, ROLES } from '../../packages/dev/src/embedded-database.ts';
import { launchPostgres, type RunningPostgres, signal } from '../../packages/dev/src/launch.ts';
import { addressIn, type TestDatabase } from './database.ts';
import { chooseBinaries } from './installed-binaries.ts';
import { childrenOf, endingWithUs } from './processes.ts';

export class OwnPostgres implements Omit<TestDatabase, 'name'> {
  readonly binaries: PostgresBinaries;
  readonly #directory: string;
  readonly #durable: boolean;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #isKept: boolean;
  #running: RunningPostgres | undefined;
  #frozen: number[] = [];

  private constructor(
    binaries: PostgresBinaries,
    directory: string,
    durable: boolean,
    settings: Readonly<Record<string, string>>,
    isKept: boolean,
  ) {
    this.binaries = binaries;
    this.#directory = directory;
    this.#durable = durable;
    this.#settings = settings;
    this.#isKept = isKept;
  }

  /** `drop` removes only a temporary directory, not the directory `kept`. */
  static async start(
    preferred: 'installed' | 'embedded' = 'embedded',
    durable = true,
    settings: Readonly<Record<string, string>> = {},
    kept?: string,
  ): Promise<OwnPostgres> {
    if (kept !== undefined) await mkdir(kept, { recursive: true });
    const directory = kept ?? (await mkdtemp(join(tmpdir(), 'eaas-test-')));
    const own = new OwnPostgres(
      await chooseBinaries(preferred),
      directory,
      durable,
      settings,
      kept !== undefined,
    );
    await own.start();
    const superuser = own.connection('superuser');
    const sql = postgres({ ...superuser, database: 'postgres', max: 1, onnotice: () => {} });
    await ensureRoles(sql);
    await ensureOwnedDatabase(sql, 'eaas');
    await sql.end();
    return own;
  }

  async start(): Promise<void> {
    this.#running = await launchPostgres({
      binaries: this.binaries,
      dataDirectory: join(this.#directory, 'postgres'),
      durable: this.#durable,
      settings: { max_connections: '400', ...this.#settings },
      through: await endingWithUs(),
    });
    const link = join(this.#directory, 'socket');
    await symlink(this.#running.socketDirectory, `${link}.new`);
    await rename(`${link}.new`, link);
  }

  get connection(): TestDatabase['connection'] {
    return this.#address.connection;
  }

  get url(): TestDatabase['url'] {
    return this.#address.url;
  }

  get #address() {
    return addressIn({ host: join(this.#directory, 'socket'), port: 5432 }, 'eaas');
  }

  get pid(): number {
    return this.#requireRunning().pid;
  }

  /** Kills all its processes, so that no client is told why. */
  async crash(): Promise<void> {
    const { pid, stop, socketDirectory } = this.#requireRunning();
    for (const each of [pid, ...(await childrenOf(pid))]) signal(each, 'SIGKILL');
    while (signal(pid)) await sleep(5);
    await stop();
    await rm(socketDirectory, { recursive: true, force: true });
    this.#running = undefined;
  }

  async freeze(which: 'all' | 'backends'): Promise<void> {
    const { pid } = this.#requireRunning();
    if (which === 'all') this.#suspend(pid);
    for (const child of await childrenOf(pid)) {
      if (which === 'all' || (await isBackend(child))) this.#suspend(child);
    }
  }

  thaw(): void {
    for (const pid of this.#frozen.splice(0)) signal(pid, 'SIGCONT');
  }

  readonly drop = async (): Promise<void> => {
    this.thaw();
    // Without a last checkpoint of data that nobody needs any more.
    if (this.#running) await this.crash();
    if (!this.#isKept) await rm(this.#directory, { recursive: true, force: true });
  };

  #suspend(pid: number): void {
    process.kill(pid, 'SIGSTOP');
    this.#frozen.push(pid);
  }

  #requireRunning(): RunningPostgres {
    if (!this.#running) throw new Error('PostgreSQL does not run');
    return this.#running;
  }
}

async function isBackend(pid: number): Promise<boolean> {
  const title = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return title.includes(ROLES.server);
}

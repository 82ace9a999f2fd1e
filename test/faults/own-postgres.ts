import { mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import {
  embeddedBinaries,
  installedBinaries,
  type PostgresBinaries,
} from '../../packages/server/src/embedded/binaries.ts';
import { createOwnedDatabase, ensureRoles, ROLES } from '../../packages/server/src/embedded/cluster.ts';
import { launchPostgres, type RunningPostgres } from '../../packages/server/src/embedded/launch.ts';
import type { TestBase } from './place.ts';

/** The one that comes along, unless another is asked for: the newest of those that can be had. */
async function chooseBinaries(): Promise<PostgresBinaries> {
  const { TEST_POSTGRES: forced, PATH = '' } = process.env;
  const installed = forced === 'installed' ? await installedBinaries(PATH) : undefined;
  return installed ?? embeddedBinaries();
}

/** A durable PostgreSQL of one test file, which may crash it. Its address stays the same across starts. */
export class OwnPostgres implements TestBase {
  readonly binaries: PostgresBinaries;
  readonly #directory: string;
  #running: RunningPostgres | undefined;
  #frozen: number[] = [];

  private constructor(binaries: PostgresBinaries, directory: string) {
    this.binaries = binaries;
    this.#directory = directory;
  }

  /** Starts one, with an empty database that the owner's role owns. */
  static async start(): Promise<OwnPostgres> {
    const own = new OwnPostgres(await chooseBinaries(), await mkdtemp(join(tmpdir(), 'eaas-test-')));
    await own.start();
    const sql = postgres({
      ...own.connection('superuser'),
      database: 'postgres',
      max: 1,
      onnotice: () => {},
    });
    await ensureRoles(sql);
    await createOwnedDatabase(sql, 'eaas');
    await sql.end();
    return own;
  }

  async start(): Promise<void> {
    const { binaries } = this;
    const dataDirectory = join(this.#directory, 'postgres');
    this.#running = await launchPostgres({ binaries, dataDirectory, durable: true });
    const link = join(this.#directory, 'socket');
    await symlink(this.#running.socketDirectory, `${link}.new`);
    await rename(`${link}.new`, link);
  }

  readonly connection: TestBase['connection'] = (role) => {
    const username = role === 'superuser' ? 'postgres' : ROLES[role];
    return { host: join(this.#directory, 'socket'), port: 5432, database: 'eaas', username };
  };

  readonly url: TestBase['url'] = (role) => {
    const { host, port, database, username } = this.connection(role);
    return `postgres://${username}@${encodeURIComponent(host)}:${port}/${database}`;
  };

  /** Immediate shutdown, as in a crash: nothing is finished and nothing is flushed. */
  async crash(): Promise<void> {
    const { pid, stop } = this.#requireRunning();
    process.kill(pid, 'SIGQUIT');
    while (isThere(pid)) await sleep(5);
    await stop();
  }

  /** Stops its processes in their tracks: all of them, or those that serve connections only. */
  async freeze(which: 'all' | 'backends'): Promise<void> {
    const { pid } = this.#requireRunning();
    if (which === 'all') this.#stop(pid);
    for (const child of await childrenOf(pid)) {
      if (which === 'all' || (await isBackend(child))) this.#stop(child);
    }
  }

  thaw(): void {
    for (const pid of this.#frozen.splice(0)) if (isThere(pid)) process.kill(pid, 'SIGCONT');
  }

  /** Ends it for good. */
  readonly drop: TestBase['drop'] = async () => {
    this.thaw();
    await this.#running?.stop();
    await rm(this.#directory, { recursive: true, force: true });
  };

  #stop(pid: number): void {
    process.kill(pid, 'SIGSTOP');
    this.#frozen.push(pid);
  }

  #requireRunning(): RunningPostgres {
    if (!this.#running) throw new Error('it does not run');
    return this.#running;
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  // The name stands in parentheses and may hold anything; after it come the state and the parent.
  return pids
    .filter((_, index) => stats[index]?.split(') ').at(-1)?.split(' ')[1] === String(parent))
    .map(Number);
}

async function isBackend(pid: number): Promise<boolean> {
  const title = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return title.includes(ROLES.server);
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { eaas, type Environment } from '../conformance/program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** How a process ended. */
export interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** One of the servers on a database, in a process of its own. */
export interface Replica {
  readonly port: number;
  readonly ended: Promise<End>;
  /** Undefined while it runs. */
  end(): End | undefined;
  signal(signal: NodeJS.Signals): void;
  /** All that it has written so far, to either stream. */
  log(): string;
  /** How often it went on after an error of the database driver that nobody could catch. */
  survived(): number;
}

/** Starts `eaas serve` and waits until it listens. Throws with what it wrote when it ends instead. */
export async function startReplica(env: Environment, command = eaas): Promise<Replica> {
  const [program = '', ...args] = command;
  const ours = { EAAS_PORT: '0', EAAS_LOG_LEVEL: 'warn', ...env };
  const child = spawn(program, [...args, 'serve'], {
    cwd: root,
    env: { ...inherited(), ...ours },
    stdio: 'pipe',
  });
  const ended = once(child, 'exit').then(() => endOf(child) ?? { code: null, signal: null });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (log += text));
  }
  child.stdin.end();
  for (;;) {
    const port = /^Eaas listens on http:\/\/127\.0\.0\.1:(\d+)/m.exec(log)?.[1];
    if (port !== undefined) {
      return {
        port: Number(port),
        ended,
        end: () => endOf(child),
        signal: (signal) => void child.kill(signal),
        log: () => log,
        survived: () => log.split('the database connection broke').length - 1,
      };
    }
    if (endOf(child)) throw new Error(`\`eaas serve\` ended:\n${log}`);
    await sleep(10);
  }
}

/** Ends it the hard way, if it runs. */
export async function kill(replica: Replica): Promise<void> {
  replica.signal('SIGKILL');
  await replica.ended;
}

function endOf({ exitCode, signalCode }: ChildProcess): End | undefined {
  return exitCode === null && signalCode === null ? undefined : { code: exitCode, signal: signalCode };
}

/** Our own environment without what would configure a server, or what vitest puts in. */
function inherited(): Record<string, string | undefined> {
  const foreign = /^(EAAS_|DATABASE_URL$|VITEST|NODE_OPTIONS$|NODE_ENV$|TEST$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

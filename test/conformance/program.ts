import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtProgram } from '../setup/built-program.ts';

export type Environment = Readonly<Record<string, string>>;

/** What a program that has ended leaves. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A server in a process of its own. */
export interface ServerProcess {
  readonly baseUrl: string;
  /** All that it has written so far, to either stream. */
  log(): string;
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The program `eaas`, from source. */
export const eaas: readonly string[] = [process.execPath, '--enable-source-maps', builtProgram()];

/** Runs a program to its end, and kills it when that takes too long. */
export async function run(command: readonly string[], env: Environment): Promise<Finished> {
  const child = launch(command, env);
  const timer = setTimeout(() => child.process.kill('SIGKILL'), 60_000);
  const [code] = (await once(child.process, 'close')) as [number | null];
  clearTimeout(timer);
  return { code, stdout: child.stdout(), stderr: child.stderr() };
}

/** Starts `eaas serve` and waits until it is ready. Throws with what it wrote when it ends instead. */
export async function serve(env: Environment, scheme: 'http' | 'https' = 'http'): Promise<ServerProcess> {
  const port = await freePort();
  const child = launch([...eaas, 'serve'], { EAAS_PORT: String(port), ...env });
  const baseUrl = `${scheme}://127.0.0.1:${port}`;
  const log = (): string => child.stdout() + child.stderr();
  const stop = async (): Promise<void> => {
    if (child.process.exitCode !== null || child.process.signalCode !== null) return;
    const ended = once(child.process, 'close');
    child.process.kill('SIGTERM');
    const timer = setTimeout(() => child.process.kill('SIGKILL'), 15_000);
    await ended;
    clearTimeout(timer);
  };
  const ready = scheme === 'http' ? () => answers(`${baseUrl}/readyz`) : () => accepts(port);
  for (let attempt = 0; !(await ready()); attempt++) {
    if (child.process.exitCode !== null || attempt > 600) {
      await stop();
      throw new Error(`\`eaas serve\` did not become ready:\n${log()}`);
    }
    await sleep(100);
  }
  return { baseUrl, log, stop };
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}

function launch(command: readonly string[], env: Environment) {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd: root, env: { ...inherited(), ...env }, stdio: 'pipe' });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.end();
  return { process: child, stdout: () => stdout, stderr: () => stderr };
}

/** Our own environment without what would configure a server, or what vitest puts in. */
function inherited(): Record<string, string | undefined> {
  const foreign = /^(EAAS_|DATABASE_URL$|VITEST|NODE_OPTIONS$|NODE_ENV$|TEST$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.ok,
    () => false,
  );
}

async function accepts(port: number): Promise<boolean> {
  const { connect } = await import('node:net');
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

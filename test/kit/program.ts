import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { builtProgram } from './built-program.ts';
import { requested } from './on-demand.ts';
import type { Order } from './operator-process.ts';

export type Environment = Readonly<Record<string, string>>;

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export type ServerProcess = Awaited<ReturnType<typeof serve>>;

const root = fileURLToPath(new URL('../../', import.meta.url));

export const eaas: readonly string[] = [process.execPath, '--enable-source-maps', builtProgram()];

export function eaasImporting(...modules: readonly string[]): readonly string[] {
  const [node = '', ...rest] = eaas;
  return [node, ...modules.flatMap((module) => ['--import', module]), ...rest];
}

export const moduleOf = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

export interface OperatorAddress {
  readonly port: number;
}

let operator: Promise<OperatorAddress> | undefined;

export async function run(
  command: readonly string[],
  env: Environment,
  { cwd = root, input = '' } = {},
): Promise<Finished> {
  const isOwn = eaas.every((word, at) => command[at] === word) && command[eaas.length] !== 'serve';
  const isCommand = isOwn && 'EAAS_DATABASE_URL' in env;
  if (process.env['TEST_OPERATOR'] && isCommand && cwd === root && input === '') {
    return runShared(command.slice(eaas.length), env);
  }
  const { child, stdout, stderr } = launch(command, env, cwd, input);
  const timer = setTimeout(() => child.kill('SIGKILL'), 250_000);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return { code, stdout: stdout(), stderr: stderr() };
}

async function runShared(args: readonly string[], env: Environment): Promise<Finished> {
  operator ??= requested<OperatorAddress>(process.env['TEST_OPERATOR']);
  const order: Order = { args, env: { ...inherited(), ...env } };
  const { port } = await operator;
  const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: JSON.stringify(order) });
  return (await response.json()) as Finished;
}

export async function serve(env: Environment, { program = eaas, cwd = root, command = 'serve' } = {}) {
  const { child, stdout, stderr } = launch(
    [...program, command],
    { EAAS_PORT: '0', EAAS_DRAIN_SECONDS: '0', ...env },
    cwd,
  );
  const ended: Promise<End> = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  const end = (): End | undefined => {
    const { exitCode: code, signalCode: signal } = child;
    return code === null && signal === null ? undefined : { code, signal };
  };
  const log = (): string => stdout() + stderr();
  const endBy = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), 120_000);
    await ended;
    clearTimeout(timer);
  };
  for (const deadline = Date.now() + 120_000; ; await sleep(10)) {
    const [, scheme, port] = /^Eaas (?:listens|is ready) on (https?):\/\/\S+:(\d+)/m.exec(stdout()) ?? [];
    if (port !== undefined) {
      return {
        baseUrl: `${scheme}://127.0.0.1:${port}`,
        port: Number(port),
        pid: child.pid ?? 0,
        ended,
        end,
        log,
        signal: (signal: NodeJS.Signals) => void child.kill(signal),
        stop: () => endBy('SIGTERM'),
        kill: () => endBy('SIGKILL'),
      };
    }
    if (!end() && Date.now() < deadline) continue;
    await endBy('SIGKILL');
    throw new Error(`\`eaas ${command}\` did not start:\n${log()}`);
  }
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export function launch(command: readonly string[], env: Environment, cwd = root, input = '') {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd, env: { ...inherited(), ...env }, stdio: 'pipe' });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => {}).end(input);
  return { child, stdout: () => stdout, stderr: () => stderr };
}

export function inherited(): Record<string, string | undefined> {
  const foreign = /^(EAAS_|DATABASE_URL$|VITEST|NODE_OPTIONS$|NODE_ENV$|TEST$|npm_command$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

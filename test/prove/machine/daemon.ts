import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { environment, postgresAccount, under } from '../../../packages/dev/src/command-line.ts';
import type { Environment } from '@eaas/test-kit/program';
import type { Findings } from '../trial.ts';

/** Starts the program under the account `postgres`, because PostgreSQL and pgbouncer refuse to run as root. */
export async function startDaemon(
  findings: Findings,
  command: readonly string[],
  env: Environment = {},
): Promise<ChildProcess> {
  const account = await postgresAccount();
  const [program = '', ...args] = [...(await under(account)), ...command];
  const stdio = process.env['PROVE_VERBOSE'] ? 'inherit' : 'ignore';
  const child = spawn(program, args, { ...account.ids, cwd: '/', env: { ...environment, ...env }, stdio });
  findings.defer(() => killDaemon(child));
  return child;
}

async function killDaemon(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

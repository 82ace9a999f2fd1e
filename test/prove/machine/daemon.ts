import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { environment, postgresAccount } from '../../../packages/dev/src/account.ts';
import { endingWithUs } from '@eaas/test-kit/processes';
import type { Environment } from '@eaas/test-kit/program';
import type { Findings } from '../trial.ts';

/** Starts the program under the account `postgres`, because PostgreSQL and pgbouncer refuse to run as root. */
export async function startDaemon(
  findings: Findings,
  command: readonly string[],
  env: Environment = {},
): Promise<ChildProcess> {
  const account = await postgresAccount();
  const [program = '', ...args] = [...account.prefix, ...(await endingWithUs()), ...command];
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

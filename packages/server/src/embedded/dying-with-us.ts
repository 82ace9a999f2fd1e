import { pid } from 'node:process';
import { runs } from './account.ts';

/**
 * Put before a program: Linux interrupts it when the thread that started it dies, even of SIGKILL; for PostgreSQL that is
 * a clean shutdown. After `unshare`, because the kernel forgets this on a change of credentials. Empty where the system
 * cannot do it.
 */
export async function dyingWithUs(): Promise<string[]> {
  const prefix = ['setpriv', '--pdeathsig=INT', '--'];
  if (!(await runs([...prefix, 'true']))) return [];
  // The shell looks whether we died before that was asked for.
  return [...prefix, 'sh', '-c', 'test "$PPID" = "$0" && exec "$@"', String(pid)];
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { inherited } from './program.ts';

export type Terminal = Awaited<ReturnType<typeof openTerminal>>;

const patience = 600_000;

/** `before` are words before `bash`: a command that starts it elsewhere, as in a container. */
export async function openTerminal(
  cwd: string,
  env: Readonly<Record<string, string>> = {},
  before: readonly string[] = [],
) {
  const [program, ...words] = [...before, 'bash', '--norc', '--noprofile'];
  const shell = spawn(program, words, {
    cwd,
    env: { ...inherited(), ...env },
    stdio: 'pipe',
  });
  const closed = once(shell, 'close');
  let shown = '';
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
    });
  }
  shell.stdin.write("set -m; exec 2>&1; trap 'failed+=\"$BASH_COMMAND\"$'\"'\\n'\"'' ERR\n");

  // Commands read from /dev/null. Otherwise, a Node program could read the next commands from the pipe that feeds the
  // shell.
  const type = async (lines: string) => {
    const start = shown.length;
    const mark = crypto.randomUUID();
    shell.stdin.write(
      `failed=\n{ :\n${lines}\n} < /dev/null\nprintf '\\n${mark}\\n%s${mark}\\n' "$failed"\n`,
    );
    const end = new RegExp(`\\n${mark}\\n([^]*?)${mark}\\n`);
    for (const deadline = Date.now() + patience; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
      const found = end.exec(shown.slice(start));
      if (found) {
        const failed = (found[1] ?? '').split('\n').filter((line) => line !== '');
        return { output: shown.slice(start, start + found.index), failed };
      }
      if (shell.exitCode !== null || Date.now() > deadline) {
        throw new Error(`the terminal did not finish the commands in time:\n${lines}\n${shown.slice(start)}`);
      }
    }
  };
  const close = async (): Promise<void> => {
    shell.stdin.end('trap - ERR; kill $(jobs -p) 2>/dev/null; wait\n');
    await closed;
  };
  return { type, shown: () => shown, close };
}

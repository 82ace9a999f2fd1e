import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FloodName, FloodTarget } from './floods.ts';

const program = fileURLToPath(new URL('flood-process.ts', import.meta.url));

type Statuses = Readonly<Record<string, number>>;

export interface RunningFlood {
  stop(): Promise<Statuses>;
}

/** Starts a separate process, because a flood from the measuring process would slow the measurement. */
export async function startFlood(
  name: FloodName,
  target: FloodTarget,
  connections?: number,
): Promise<RunningFlood> {
  const directory = await mkdtemp(join(tmpdir(), 'eaas-prove-'));
  const file = join(directory, 'target.json');
  await writeFile(file, JSON.stringify(target));
  const node = ['--conditions=@eaas/source', '--import', 'tsx', program, name, file];
  const more = connections === undefined ? [] : [String(connections)];
  const args = ['-n', '5', process.execPath, ...node, ...more];
  const child = spawn('nice', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = once(child, 'close');
  await Promise.race([once(child.stdout, 'data'), ended]);
  await rm(directory, { recursive: true });
  return {
    async stop() {
      child.stdin.end();
      await ended;
      return JSON.parse(output.split('\n')[1] ?? '{}') as Statuses;
    },
  };
}

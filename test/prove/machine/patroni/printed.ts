import { execFile } from 'node:child_process';
import { environment, giveTo, postgresAccount } from '../../../../packages/dev/src/command-line.ts';
import { blocksOf, read } from '@eaas/test-kit/markdown';
import { postgresPrograms } from '../cluster.ts';
import { copyExampleFile, type Machine, placed } from './files.ts';

export const printed = {
  configure: "sed -e 's/@NAME@/db1/g'",
  list: 'patronictl -c /etc/patroni/config.yml list',
  psql: 'psql ',
  urls: 'export EAAS_MIGRATE_DATABASE_URL=',
  pooledUrl: 'export EAAS_DATABASE_URL=',
  switchover: 'patronictl -c /etc/patroni/config.yml switchover',
  reinit: 'patronictl -c /etc/patroni/config.yml reinit',
} as const;

function blockOf(beginning: string): string {
  const blocks = blocksOf(read('docs/operating/high-availability.md'), 'sh');
  const found = blocks.filter((block) => block.startsWith(beginning));
  if (found.length !== 1) {
    throw new Error(`the page must have one block that begins with "${beginning}" (got ${found.length})`);
  }
  return found[0] ?? '';
}

interface Run {
  readonly machine: Machine;
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

async function runScript(
  script: string,
  { machine, cwd = machine.home, input = '', env }: Run,
): Promise<string> {
  const path = `${(await postgresPrograms()) ?? ''}:${environment.PATH}`;
  const options = { cwd, env: { ...environment, LC_ALL: 'C.UTF-8', PATH: path, ...env }, timeout: 120_000 };
  const text = await placed(script, machine);
  return new Promise((resolve, reject) => {
    const child = execFile('bash', ['-euo', 'pipefail', '-c', text], options, (error, stdout, stderr) => {
      if (error) reject(new Error(`the printed command must exit with code 0:\n${text}\n${stdout}${stderr}`));
      else resolve(stdout);
    });
    // Ignores the error of the standard input if the command ends before it has read the input.
    child.stdin?.on('error', () => {}).end(input);
  });
}

export async function runPrinted(name: keyof typeof printed, run: Run): Promise<string> {
  return runScript(blockOf(printed[name]), run);
}

export async function exported(
  name: 'urls' | 'pooledUrl',
  variable: string,
  machine: Machine,
): Promise<string> {
  return (await runScript(`${blockOf(printed[name])}\nprintenv ${variable}`, { machine })).trim();
}

/** Runs the commands that the manual prints for `db1`, but with the name and the address of `machine`. */
export async function configure(machine: Machine): Promise<void> {
  for (const file of ['etcd.env', 'patroni.yml']) await copyExampleFile(file, machine, '.');
  const block = blockOf(printed.configure)
    .replaceAll('db1', machine.name)
    .replaceAll('10.0.0.11', machine.address);
  await runScript(block, { machine });
  await giveTo(await postgresAccount(), machine.home);
}

export interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly lag: string;
}

export async function listMembers(machine: Machine): Promise<readonly Member[]> {
  const output = await runPrinted('list', { machine });
  const rows = output.split('\n').filter((line) => line.startsWith('| '));
  const [head = [], ...members] = rows.map((line) => line.split('|').map((cell) => cell.trim()));
  const cell = (row: readonly string[], title: string): string => row[head.indexOf(title)] ?? '';
  return members.map((row) => ({
    name: cell(row, 'Member'),
    role: cell(row, 'Role'),
    state: cell(row, 'State'),
    lag: cell(row, 'Lag in MB'),
  }));
}

export const isRunning = ({ state }: Member): boolean => state === 'running' || state === 'streaming';

export function isComplete(members: readonly Member[]): boolean {
  const roles = members.map(({ role }) => role).toSorted();
  const standbys = members.filter(({ role }) => role !== 'Leader');
  return (
    roles.join() === 'Leader,Replica,Sync Standby' &&
    members.every(isRunning) &&
    standbys.every(({ lag }) => lag === '0')
  );
}

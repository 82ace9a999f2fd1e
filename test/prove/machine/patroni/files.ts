import { randomInt } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getuid } from 'node:process';
import { giveTo, postgresAccount } from '../../../../packages/dev/src/command-line.ts';
import { read } from '@eaas/test-kit/markdown';
import type { Findings } from '../../trial.ts';
import { postgresPrograms } from '../cluster.ts';

export interface Machine {
  readonly name: string;
  readonly address: string;
  readonly home: string;
  readonly network: string;
}

/**
 * Each trial gets its own addresses that begin with 127, so that trials can run at the same time. Linux needs no
 * configuration for these addresses.
 */
const newNetwork = (): string => `127.${randomInt(16, 250)}.${randomInt(250)}.`;

export const passwords = { superuser: 'choose-a-fourth', owner: 'choose-one' } as const;

const lastNumber = { servers: 1, db1: 11, db2: 12, db3: 13 };

const debianDirectories = [
  'etc/default',
  'etc/haproxy',
  'etc/patroni',
  'etc/pgbouncer',
  'var/lib/etcd',
  'var/lib/postgresql',
  'var/run/postgresql',
];

export async function placeMachines(findings: Findings): Promise<Record<keyof typeof lastNumber, Machine>> {
  const network = newNetwork();
  const root = await findings.newDirectory();
  const place = async (name: keyof typeof lastNumber): Promise<Machine> => {
    const home = join(root, name);
    for (const directory of debianDirectories) await mkdir(join(home, directory), { recursive: true });
    return { name, address: `${network}${lastNumber[name]}`, home, network };
  };
  const [servers, db1, db2, db3] = [
    await place('servers'),
    await place('db1'),
    await place('db2'),
    await place('db3'),
  ];
  await giveTo(await postgresAccount(), root);
  return { servers, db1, db2, db3 };
}

export async function placed(text: string, { network, home }: Machine): Promise<string> {
  const { ids } = await postgresAccount();
  return text
    .replaceAll('10.0.0.', network)
    .replaceAll(/127\.0\.0\.1(?!\/)/g, `${network}1`)
    .replaceAll('/usr/lib/postgresql/15/bin', (await postgresPrograms()) ?? '')
    .replaceAll(/(?<![\w.-])\/(?=(?:etc|var)\/)/g, `${home}/`)
    .replaceAll('chown postgres ', `chown ${ids.uid ?? getuid?.()} `);
}

export async function copyExampleFile(file: string, machine: Machine, to: string): Promise<string> {
  const path = join(machine.home, to, file);
  const text = await placed(read(`examples/high-availability/${file}`), machine);
  await writeFile(path, text, { mode: 0o600 });
  await giveTo(await postgresAccount(), path);
  return path;
}

import { randomInt } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { giveTo, postgresAccount } from '../../../../packages/server/src/embedded/command-line.ts';
import { read } from '../../../docs/markdown.ts';
import type { Findings } from '../../trial.ts';
import { postgresPrograms } from '../cluster.ts';

/** A machine of the manual's example: a directory and an address of the loopback interface. */
export interface Machine {
  readonly name: string;
  readonly address: string;
  readonly home: string;
  readonly network: string;
}

/**
 * Returns a random part of the loopback network. On Linux, every address that begins with 127 is on the loopback
 * interface.
 */
const newNetwork = (): string => `127.${randomInt(16, 250)}.${randomInt(250)}.`;

const lastNumber = { servers: 1, db1: 11, db2: 12, db3: 13 };

export async function placeMachines(findings: Findings): Promise<Record<keyof typeof lastNumber, Machine>> {
  const network = newNetwork();
  const root = await mkdtemp(join(tmpdir(), 'eaas-prove-'));
  findings.defer(() => rm(root, { recursive: true, force: true }));
  const place = async (name: keyof typeof lastNumber): Promise<Machine> => {
    const home = join(root, name);
    await mkdir(join(home, 'postgresql'), { recursive: true });
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

/** Returns a file of the manual's example, with the names, addresses and directories of a machine of this trial. */
export async function exampleFile(file: string, machine: Machine): Promise<string> {
  return read(`examples/high-availability/${file}`)
    .replaceAll('@NAME@', machine.name)
    .replaceAll('@ADDRESS@', machine.address)
    .replaceAll('10.0.0.', machine.network)
    .replaceAll(/127\.0\.0\.1(?!\/)/g, `${machine.network}1`)
    .replaceAll('/usr/lib/postgresql/15/bin', (await postgresPrograms()) ?? '')
    .replaceAll(/\/(?:var\/lib|var\/run|etc\/pgbouncer)\//g, `${machine.home}/`);
}

/** Writes a file of the manual's example into the directory of a machine, and returns the path of the file. */
export async function writeExampleFile(file: string, machine: Machine): Promise<string> {
  const path = join(machine.home, file);
  await writeFile(path, await exampleFile(file, machine), { mode: 0o600 });
  await giveTo(await postgresAccount(), path);
  return path;
}

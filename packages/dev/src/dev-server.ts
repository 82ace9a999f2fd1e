// The file `dev-server.json` of the data directory says where `eaas dev` listens, so that another `eaas dev` can print
// the same addresses.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kill } from 'node:process';
import { type Address, freePort, hostOf, ifExists, replaceFile } from '@eaas/server/internal';

export interface DevServer {
  readonly pid: number;
  readonly address: string;
  /** The page that takes the sign-in code, or null if the server has no such page. */
  readonly sign_in_page: string | null;
}

export async function recordDevServer(directory: string, server: DevServer): Promise<void> {
  await replaceFile(fileIn(directory), `${JSON.stringify(server)}\n`);
}

/** Returns the `eaas dev` that serves the data directory now. */
export async function findDevServer(directory: string): Promise<DevServer | undefined> {
  const text = await ifExists(readFile(fileIn(directory), 'utf8'));
  if (text === undefined) return undefined;
  const server = JSON.parse(text) as DevServer;
  const url = new URL(server.address);
  const isTaken = !(await isFree({ host: hostOf(url), port: Number(url.port) }));
  return isTaken && isRunning(server.pid) ? server : undefined;
}

function isRunning(pid: number): boolean {
  try {
    return kill(pid, 0);
  } catch {
    return false;
  }
}

export async function isFree(address: Address): Promise<boolean> {
  try {
    await freePort(address);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw error;
  }
}

function fileIn(directory: string): string {
  return join(directory, 'dev-server.json');
}

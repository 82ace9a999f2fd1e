import { once } from 'node:events';
import { lookup } from 'node:dns/promises';
import { type AddressInfo, createServer, isIP, type Server } from 'node:net';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The name `localhost` often has an IPv4 and an IPv6 address. */
export async function hostsOf(host: string): Promise<string[]> {
  if (host !== 'localhost') return [host];
  const found = await lookup(host, { all: true });
  return Array.from(new Set(found.map(({ address }) => address)));
}

/** The hosts file can list `::1` for `localhost` on a machine without IPv6. */
const absent = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/**
 * Listens on the same port of all hosts. Skips each host that this machine does not have. Throws if this machine has
 * none of the hosts.
 */
export async function listenOnEach(
  hosts: readonly string[],
  port: number,
  listen: (address: Address) => Promise<Server>,
): Promise<number> {
  let bound: number | undefined;
  let failure: unknown;
  for (const host of hosts) {
    try {
      const server = await listen({ host, port: bound ?? port });
      bound = (server.address() as AddressInfo).port;
    } catch (error) {
      if (!absent.has(String((error as NodeJS.ErrnoException).code))) throw error;
      failure = error;
    }
  }
  if (bound === undefined) throw failure;
  return bound;
}

export async function listening(server: Server, address: Address): Promise<Server> {
  server.listen(address);
  await once(server, 'listening');
  return server;
}

/**
 * Returns the port, or an unused port if the given port is 0. Throws if the port is in use. Stops listening before it
 * returns, so that a proxy can try another server until this server is ready.
 */
export async function freePort({ host, port }: Address): Promise<number> {
  const servers: Server[] = [];
  const listen = (address: Address): Promise<Server> => {
    const server = createServer((socket) => socket.destroy());
    servers.push(server);
    return listening(server, address);
  };
  try {
    return await listenOnEach(await hostsOf(host), port, listen);
  } finally {
    await Promise.all(servers.filter(({ listening }) => listening).map(closed));
  }
}

async function closed(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

/** Whether only this machine reaches the host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** The host of a URL, without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

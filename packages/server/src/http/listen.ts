// Where a server listens: its addresses and certificate, and what to say about an address that cannot be used.
import { once } from 'node:events';
import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { CannotStart, reasonOf } from '../base/cannot-start.ts';
import type { Lines } from '../base/log-lines.ts';

/** A host, as a name or an IP address, and a port. The port 0 means any unused port. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A host, and its ports to try in order: from `port` to `lastPort`, or `port` only. */
interface Ports extends Address {
  readonly lastPort?: number | undefined;
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
async function listenOnEach(
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

/** Resolves when the server listens at the address, and rejects if it cannot. */
async function listening(server: Server, address: Address): Promise<Server> {
  server.listen(address);
  await once(server, 'listening');
  return server;
}

/**
 * Returns the first of the ports that is free on all addresses of the host, or an unused port if the given port is 0. Throws if
 * all are in use. Stops listening before it returns, so that a proxy can try another server until this server is ready.
 */
export async function freePort({ host, port, lastPort = port }: Ports): Promise<number> {
  return firstFree(await hostsOf(host), port, lastPort);
}

async function firstFree(hosts: readonly string[], port: number, lastPort: number): Promise<number> {
  const servers: Server[] = [];
  const listen = (address: Address): Promise<Server> => {
    const server = createServer((socket) => socket.destroy());
    servers.push(server);
    return listening(server, address);
  };
  try {
    return await listenOnEach(hosts, port, listen);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || port >= lastPort) throw error;
    return await firstFree(hosts, port + 1, lastPort);
  } finally {
    await Promise.all(servers.filter((server) => server.listening).map(closed));
  }
}

async function closed(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

/**
 * Listens on the first port that is free on all hosts, and passes every connection to `app.server`, because only this
 * server ends connections gracefully. Fastify's own `listen` would create a second HTTP server for the second address of
 * `localhost`.
 */
export async function listenOn(
  app: FastifyInstance,
  hosts: readonly string[],
  { port, lastPort = port }: Omit<Ports, 'host'>,
): Promise<number> {
  const others: Server[] = [];
  const accept = (socket: Socket): void => void app.server.emit('connection', socket);
  app.addHook('preClose', async () => others.forEach((other) => other.close()));
  const free = port && (await firstFree(hosts, port, lastPort));
  return listenOnEach(hosts, free, async (address) => {
    if (!app.server.listening) {
      await app.listen(address);
      return app.server;
    }
    const other = createServer({ allowHalfOpen: true, noDelay: true }, accept);
    others.push(other);
    return listening(other, address);
  });
}

/** Reads the certificate and its key. Throws CannotStart if a file is missing, or if they do not belong together. */
export async function readTls(files: { cert: string; key: string }): Promise<{ cert: Buffer; key: Buffer }> {
  try {
    const tls = { cert: await readFile(files.cert), key: await readFile(files.key) };
    createSecureContext(tls);
    return tls;
  } catch (error) {
    const cure = 'Set them to the certificate chain and to the private key of its first certificate.';
    throw cannotUse('EAAS_TLS_CERT_FILE and EAAS_TLS_KEY_FILE', error, ` ${cure}`);
  }
}

/** Returns a function for `catch` that throws CannotStart, with what to change in EAAS_HOST or EAAS_PORT. */
export function refuseAddress({ host, port, lastPort = port }: Ports) {
  return (error: unknown): never => {
    const code = String((error as NodeJS.ErrnoException | undefined)?.code);
    const messages: Readonly<Record<string, string>> = {
      EADDRINUSE:
        lastPort > port
          ? `All ports from ${port} to ${lastPort} are in use: set EAAS_PORT to a free port.`
          : `EAAS_PORT must be a free port (got ${port}, on which another program already listens at ${host}). ` +
            'Stop that program (`ss -ltnp` names it), or set EAAS_PORT to another port.',
      EACCES:
        `EAAS_PORT must be a port on which this user may listen (got ${port}). ` +
        'Set EAAS_PORT to 1024 or more, or give the process the capability CAP_NET_BIND_SERVICE.',
      EADDRNOTAVAIL: noAddress(host),
      ENOTFOUND: noAddress(host),
    };
    const message = messages[code];
    throw message === undefined
      ? cannotUse('EAAS_HOST and EAAS_PORT', error)
      : new CannotStart(message, { cause: error });
  };
}

function noAddress(host: string): string {
  return (
    `EAAS_HOST must be an address of this machine (got ${host}). ` +
    'Set EAAS_HOST to 127.0.0.1 for this machine only, to 0.0.0.0 or :: for all addresses, or to one of its addresses.'
  );
}

function cannotUse(variables: string, error: unknown, cure = ''): CannotStart {
  return new CannotStart(`${variables} cannot be used: ${reasonOf(error)}.${cure}`, { cause: error });
}

/** The URL at which clients reach the server. */
export function addressOf(
  { host, tlsFiles }: { host: string; tlsFiles: object | null },
  port: number,
): string {
  return `${tlsFiles ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Writes the line from which people and programs read the URL of the server. */
export function announce(address: string, output: Lines): void {
  output.write(`Eaas listens on ${address} (API reference: ${address}/docs)\n`);
}

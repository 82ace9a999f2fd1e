// Where a server listens: its addresses and certificate, and what to say about an address that cannot be used.
import { once } from 'node:events';
import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { CannotStart, reasonOf } from '../base/cannot-start.ts';
import type { Lines } from '../base/log-lines.ts';

/** A host, and its ports to try in order. Of a name, the first address counts. The port 0 means any unused port. */
export interface Ports {
  readonly host: string;
  readonly port: number;
  /** The last port to try if `port` is in use, when nobody chose the port. */
  readonly lastPort?: number | undefined;
}

/**
 * Returns the first of the ports that is free at the host, or an unused port if the given port is 0. Throws if all are in
 * use. Stops listening before it returns, so that a proxy can try another server until this server is ready.
 */
export async function freePort({ host, port, lastPort = port }: Ports): Promise<number> {
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen({ host, port });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || port >= lastPort) throw error;
    return await freePort({ host, port: port + 1, lastPort });
  } finally {
    if (server.listening) await once(server.close(), 'close');
  }
}

/**
 * Listens on the first free port of the host. Looks the host up, because Fastify would listen at every address of the name
 * `localhost`, with a server for each, and only `app.server` ends connections gracefully.
 */
export async function listenOn(app: FastifyInstance, ports: Ports): Promise<number> {
  const { address: host } = await lookup(ports.host);
  await app.listen({ host, port: ports.port && (await freePort({ ...ports, host })) });
  return (app.server.address() as AddressInfo).port;
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

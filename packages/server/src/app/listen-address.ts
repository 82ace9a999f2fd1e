import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { CannotStart, reasonOf } from '../base/cannot-start.ts';
import { linesTo } from '../base/log-lines.ts';
import type { ListenOptions } from './options.ts';

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

export function refuseAddress({ host, port }: Pick<ListenOptions, 'host' | 'port'>) {
  return (error: unknown): never => {
    const code = String((error as NodeJS.ErrnoException | undefined)?.code);
    const messages: Readonly<Record<string, string>> = {
      EADDRINUSE:
        `EAAS_PORT must be a free port (got ${port}, on which another program listens at ${host}). ` +
        'Stop the other program, or set EAAS_PORT to another port.',
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

export function addressOf({ host, tlsFiles }: ListenOptions, port: number): string {
  return `${tlsFiles ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

export function announce(address: string): void {
  linesTo(process.stdout.fd).write(`Eaas listens on ${address} (API reference: ${address}/docs)\n`);
}

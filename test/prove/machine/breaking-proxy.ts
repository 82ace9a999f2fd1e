// A proxy between a server and its database, with TLS if the server asks for it, whose connections break in each way that a
// network knows.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';
import { selfSigned } from '@eaas/test-kit/certificate';
import type { Findings } from '../trial.ts';

/**
 * `end` says farewell, by TLS too. `cut` and `reset` do not; a reset also loses what is on its way. `hold` keeps back what the
 * database answers, until `release`, or loses it with whatever breaks the connection meanwhile.
 */
type Break = 'end' | 'cut' | 'reset' | 'hold' | 'release';

/** `to` is the URL of a Unix socket. */
export async function breakingProxy(findings: Findings, to: string, isTls: boolean) {
  const { hostname, port, pathname, search } = new URL(to);
  const path = join(decodeURIComponent(hostname), `.s.PGSQL.${port}`);
  const { certificate, key } = selfSigned();
  const secureContext = createSecureContext({ cert: certificate, key });
  const open = new Set<(how: Break) => void>();

  const server = createServer((client) => {
    const upstream = connect(path);
    let talk: Socket = client;
    const breakIt = (how: Break): void => {
      if (how === 'hold') return void upstream.pause();
      if (how === 'release') return void upstream.resume();
      open.delete(breakIt);
      upstream.destroy();
      if (how === 'end') talk.end();
      else if (how === 'cut') client.destroy();
      else client.resetAndDestroy();
    };
    open.add(breakIt);
    const through = (side: Socket): void => {
      talk = side.on('error', () => {});
      side.pipe(upstream).pipe(side);
    };
    client.on('error', () => {}).on('close', () => breakIt('cut'));
    upstream.on('error', () => {}).on('close', () => client.destroy());
    if (!isTls) return through(client);
    client.once('data', () => {
      client.write('S');
      through(new TLSSocket(client, { isServer: true, secureContext }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  findings.defer(() => {
    server.close();
    for (const breakIt of open) breakIt('cut');
  });

  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = new URL(`postgres://eaas_server@${address}${pathname}${search}`);
  if (isTls) url.searchParams.set('sslmode', 'require');
  return { url: url.href, break: (how: Break) => open.forEach((breakIt) => breakIt(how)) };
}

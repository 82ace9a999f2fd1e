import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestBase } from '@eaas/test-kit/faults/place';

/** The proxy drops the responses of PostgreSQL for 200 ms before it closes a connection. */
const silence = 200;

/** The type and the length of BackendKeyData, which contains the process id of a new connection. */
const backendKeyData = Buffer.from([0x4b, 0, 0, 0, 12]);

export async function lossyProxy(database: TestBase) {
  const directory = await mkdtemp(join(tmpdir(), 'eaas-test-'));
  const { host, port } = database.connection('server');
  const name = `.s.PGSQL.${port}`;
  const open = new Set<Socket>();
  const ends = new Map<number, () => void>();
  let wanted: string | undefined;
  let losses = 0;

  const server = createServer((client) => {
    const upstream = connect(join(host, name));
    let mute = false;
    let keyed = false;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
      open.delete(client);
    };
    for (const socket of [client, upstream]) socket.on('close', end).on('error', end);
    open.add(client);
    client.on('data', (chunk) => {
      if (!mute && wanted !== undefined && chunk.includes(wanted)) {
        [mute, wanted] = [true, undefined];
        losses++;
        setTimeout(end, silence);
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      const found = keyed ? -1 : chunk.indexOf(backendKeyData);
      if (found >= 0) {
        keyed = true;
        ends.set(chunk.readInt32BE(found + backendKeyData.length), end);
      }
      if (!mute) client.write(chunk);
    });
  }).listen(join(directory, name));
  await once(server, 'listening');

  return {
    url: (role: Parameters<TestBase['url']>[0]) =>
      database.url(role).replace(encodeURIComponent(host), encodeURIComponent(directory)),
    loseFrom: (text: string) => void (wanted = text),
    /** Closes a connection without an error message from PostgreSQL. */
    cut: (pid: number): void => ends.get(pid)?.(),
    losses: () => losses,
    async close() {
      server.close();
      for (const socket of open) socket.destroy();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

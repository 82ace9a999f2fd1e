// A proxy of PostgreSQL's socket whose connections break, without a message from the database.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestBase } from '@eaas/test-kit/faults/place';

/**
 * What happens to some bytes on their way. They take so many milliseconds. `lose`: the connection breaks on both sides. `late`:
 * the client's side breaks, and the bytes arrive.
 */
interface Fate {
  readonly kind?: 'lose' | 'late' | undefined;
  readonly ms: number;
}

export async function cuttingProxy(database: Pick<TestBase, 'url' | 'connection'>, fateOf?: () => Fate) {
  const directory = await mkdtemp(join(tmpdir(), 'eaas-test-'));
  const { host, port } = database.connection('server');
  const name = `.s.PGSQL.${port}`;
  const open = new Set<() => void>();

  const server = createServer((client) => {
    const upstream = connect(join(host, name));
    const sides = [client, upstream] as const;
    let isLate = false;
    const end = (): void => {
      for (const socket of sides) socket.destroy();
      open.delete(end);
    };
    for (const socket of sides) socket.on('close', () => isLate || end()).on('error', end);
    open.add(end);
    for (const [from, to] of [sides, sides.toReversed()] as readonly (typeof sides)[]) {
      from.on('data', (chunk) => {
        const { kind, ms } = fateOf?.() ?? { ms: 0 };
        if (kind === 'lose') return end();
        isLate ||= kind === 'late';
        if (isLate) client.destroy();
        if (ms === 0) return void to.write(chunk);
        from.pause();
        setTimeout(() => {
          to.write(chunk, () => void (isLate && end()));
          from.resume();
        }, ms);
      });
    }
  }).listen(join(directory, name));
  await once(server, 'listening');

  return {
    directory,
    url: (role: Parameters<TestBase['url']>[0]) =>
      database.url(role).replace(encodeURIComponent(host), encodeURIComponent(directory)),
    /** Breaks all connections. */
    cut: (): void => open.forEach((end) => end()),
    async close() {
      server.close();
      for (const end of open) end();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

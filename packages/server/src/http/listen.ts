import { createServer, type Server, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { listening, listenOnEach } from './addresses.ts';

/**
 * Listens on all hosts, and passes every connection to `app.server`, because only this server ends connections
 * gracefully. Fastify's own `listen` would create a second HTTP server for the second address of `localhost`.
 */
export async function listenOn(
  app: FastifyInstance,
  hosts: readonly string[],
  port: number,
): Promise<number> {
  const others: Server[] = [];
  const accept = (socket: Socket): void => void app.server.emit('connection', socket);
  app.addHook('preClose', async () => {
    for (const other of others) other.close();
  });
  return listenOnEach(hosts, port, async (address) => {
    if (!app.server.listening) {
      await app.listen(address);
      return app.server;
    }
    const other = createServer({ allowHalfOpen: true, noDelay: true }, accept);
    others.push(other);
    return listening(other, address);
  });
}

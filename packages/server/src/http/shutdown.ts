import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Requests that still run so many milliseconds after close() are cut off. */
const deadline = 10_000;

/** Makes close() end soon: it waits for running requests, not for silent or idle connections. */
export function closeGracefully(app: FastifyInstance): { isClosing: () => boolean } {
  const silent = new Set<Socket>();
  let closing = false;
  const connected = 'setSecureContext' in app.server ? 'secureConnection' : 'connection';
  app.server.on(connected, (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  app.server.on('request', ({ socket }) => silent.delete(socket));
  app.addHook('preClose', async () => {
    closing = true;
    for (const socket of silent) socket.destroy();
    setTimeout(() => app.server.closeAllConnections(), deadline).unref();
  });
  return { isClosing: () => closing };
}

import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { closing } from './closing.ts';

/** Listens on a free port until after the test, or after the tests of the file, and returns the port. */
export async function listening(server: Server | HttpServer, host = '127.0.0.1'): Promise<number> {
  await closing(once(server.listen(0, host), 'listening'), () => {
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

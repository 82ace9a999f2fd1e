import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * Sends the same HTTP request repeatedly over many connections. Checks of a response only that it is a 200 and
 * complete, because the client must use less CPU time than the measured server.
 */
export class Burst {
  readonly #sockets: readonly Socket[];
  readonly #request: Buffer;

  private constructor(sockets: readonly Socket[], request: string) {
    this.#sockets = sockets;
    this.#request = Buffer.from(request);
  }

  static async open(port: number, request: string, connections: number): Promise<Burst> {
    const sockets = Array.from({ length: connections }, () => connect(port, '127.0.0.1').setNoDelay(true));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    return new Burst(sockets, request);
  }

  /** Sends this many requests, one at a time on each connection, and waits for the responses. */
  async run(requests: number): Promise<void> {
    let left = requests;
    const work = (socket: Socket): Promise<void> =>
      new Promise((resolve, reject) => {
        const next = (): void => {
          if (left-- > 0) {
            socket.write(this.#request);
            return;
          }
          socket.removeAllListeners('data');
          resolve();
        };
        socket.on('data', (response) => {
          if (response.includes('HTTP/1.1 200')) next();
          else reject(new Error(response.toString('latin1').slice(0, 500)));
        });
        next();
      });
    await Promise.all(this.#sockets.map(work));
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

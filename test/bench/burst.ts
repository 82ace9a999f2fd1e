import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * Sends the same HTTP request repeatedly over many connections. Checks only that each response is complete and has the
 * status 200, because further checks would use CPU time of the measured server.
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

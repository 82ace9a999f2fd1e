import { connect, type Socket } from 'node:net';

/**
 * Sends one HTTP request again and again over many connections, and reads no more of the answers than it takes to know
 * that they are 200 and where they end: the load must not cost more than what it measures.
 */
export class Burst {
  readonly #sockets: Socket[];
  readonly #request: Buffer;

  private constructor(sockets: Socket[], request: Buffer) {
    this.#sockets = sockets;
    this.#request = request;
  }

  static async open(port: number, request: string, connections: number): Promise<Burst> {
    const sockets = await Promise.all(
      Array.from(
        { length: connections },
        () =>
          new Promise<Socket>((resolve, reject) => {
            const socket = connect(port, '127.0.0.1', () => resolve(socket)).setNoDelay(true);
            socket.once('error', reject);
          }),
      ),
    );
    return new Burst(sockets, Buffer.from(request));
  }

  /** Has so many requests answered, one at a time on each connection. */
  async run(requests: number): Promise<void> {
    let left = requests;
    await Promise.all(
      this.#sockets.map(
        (socket) =>
          new Promise<void>((resolve, reject) => {
            const next = (): void => {
              if (left <= 0) {
                socket.removeAllListeners('data');
                resolve();
                return;
              }
              left--;
              socket.write(this.#request);
            };
            socket.on('data', (answer) => {
              if (answer.includes('HTTP/1.1 200')) next();
              else reject(new Error(answer.toString('latin1').slice(0, 500)));
            });
            next();
          }),
      ),
    );
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

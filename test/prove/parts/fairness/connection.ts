import { connect, type Socket } from 'node:net';

/** A library would use more CPU time than this minimal HTTP client. */
export class Connection {
  readonly #port: number;
  #socket: Socket | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  async send(request: Uint8Array): Promise<number> {
    const socket = (this.#socket ??= this.#open());
    return new Promise((resolve) => {
      const answer = new AnswerReader();
      const end = (status: number): void => {
        socket.off('data', read).off('close', broken);
        resolve(status);
      };
      const broken = (): void => {
        this.#socket = undefined;
        // Without a pause, refused connections would cause a busy loop.
        setTimeout(() => end(answer.status), 20);
      };
      const read = (bytes: Buffer): void => {
        if (answer.isComplete(bytes)) end(answer.status);
      };
      socket.on('data', read).once('close', broken);
      socket.write(request);
    });
  }

  #open(): Socket {
    const socket = connect(this.#port, '127.0.0.1').setNoDelay(true);
    socket.on('error', () => socket.destroy());
    return socket;
  }
}

class AnswerReader {
  status = 0;
  #head = '';
  #left = -1;

  isComplete(bytes: Buffer): boolean {
    if (this.#left >= 0) {
      this.#left -= bytes.length;
      return this.#left <= 0;
    }
    this.#head += bytes.toString('latin1');
    const end = this.#head.indexOf('\r\n\r\n');
    if (end < 0) return false;
    this.status = Number(this.#head.slice(9, 12));
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#head.slice(0, end))?.[1] ?? 0);
    this.#left = length - (this.#head.length - end - 4);
    return this.#left <= 0;
  }
}

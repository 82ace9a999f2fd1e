import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { isComplete } from './burst.ts';

interface OpenLoop {
  /** Returns the duration of each call, in microseconds. */
  readonly run: (perSecond: number, calls: number) => Promise<number[]>;
  readonly close: () => void;
}

export async function openLoop(
  port: number,
  texts: readonly string[],
  connectionsEach: number,
): Promise<OpenLoop> {
  const lines = await Promise.all(texts.map((text) => Line.open(port, text, connectionsEach)));
  return {
    async run(perSecond, calls) {
      const startedAt = performance.now();
      const answers: Promise<number>[] = [];
      let dueAt = 0;
      while (answers.length < calls) {
        dueAt -= (1_000 / perSecond) * Math.log(1 - Math.random());
        const wait = startedAt + dueAt - performance.now();
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
        const line = lines[Math.floor(Math.random() * lines.length)];
        if (line) answers.push(line.send());
      }
      return Promise.all(answers);
    },
    close: () => lines.forEach((line) => line.close()),
  };
}

class Line {
  readonly #all: readonly Socket[];
  readonly #free: Socket[];
  readonly #text: string;
  readonly #waiting: ((socket: Socket) => void)[] = [];

  private constructor(sockets: readonly Socket[], text: string) {
    this.#all = sockets;
    this.#free = [...sockets];
    this.#text = text;
  }

  static async open(port: number, text: string, count: number): Promise<Line> {
    const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').setNoDelay(true));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    return new Line(sockets, text);
  }

  async send(): Promise<number> {
    const sentAt = performance.now();
    const socket = this.#free.pop() ?? (await new Promise<Socket>((resolve) => this.#waiting.push(resolve)));
    let response = '';
    await new Promise<void>((resolve, reject) => {
      const read = (chunk: Buffer): void => {
        response += chunk.toString('latin1');
        if (!isComplete(response)) return;
        socket.off('data', read);
        if (response.startsWith('HTTP/1.1 200')) resolve();
        else reject(new Error(response.slice(0, 500)));
      };
      socket.on('data', read);
      socket.write(this.#text);
    });
    const took = 1_000 * (performance.now() - sentAt);
    const next = this.#waiting.shift();
    if (next) next(socket);
    else this.#free.push(socket);
    return took;
  }

  close(): void {
    for (const socket of this.#all) socket.destroy();
  }
}

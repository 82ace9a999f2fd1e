import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * Checks only the status of each response. The measured server runs on the same machine, and further checks would leave
 * less CPU time for the server.
 */
export class Burst {
  refused = 0;
  readonly milliseconds: number[] = [];
  readonly #sockets: readonly Socket[];
  readonly #next: () => Buffer | string;

  private constructor(sockets: readonly Socket[], request: string | (() => string)) {
    this.#sockets = sockets;
    this.#next = typeof request === 'string' ? always(Buffer.from(request)) : request;
  }

  static async open(port: number, request: string | (() => string), connections: number): Promise<Burst> {
    const sockets = Array.from({ length: connections }, () => connect(port, '127.0.0.1').setNoDelay(true));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    return new Burst(sockets, request);
  }

  async run(requests: number): Promise<void> {
    let left = requests;
    const work = (socket: Socket): Promise<void> =>
      new Promise((resolve, reject) => {
        let sentAt = 0;
        const next = (): void => {
          if (left-- > 0) {
            sentAt = performance.now();
            socket.write(this.#next());
            return;
          }
          socket.removeAllListeners('data');
          resolve();
        };
        let response = '';
        socket.on('data', (chunk) => {
          response += chunk.toString('latin1');
          if (!isComplete(response)) return;
          this.milliseconds.push(performance.now() - sentAt);
          if (/^HTTP\/1\.1 20[01]/.test(response)) next();
          else if (/^HTTP\/1\.1 50[03]/.test(response)) {
            this.refused++;
            left++;
            next();
          } else reject(new Error(response.slice(0, 500)));
          response = '';
        });
        next();
      });
    await Promise.all(this.#sockets.map(work));
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

function always(request: Buffer): () => Buffer {
  return () => request;
}

function isComplete(response: string): boolean {
  const head = response.indexOf('\r\n\r\n');
  if (head === -1) return false;
  const [, length] = /^content-length: (\d+)/im.exec(response.slice(0, head)) ?? [];
  return length === undefined
    ? response.endsWith('\r\n0\r\n\r\n')
    : response.length >= head + 4 + Number(length);
}

export function postRequest(path: string, headers: Readonly<Record<string, string>>, body: object): string {
  const json = JSON.stringify(body);
  const all = {
    Host: '127.0.0.1',
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': json.length,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${path} HTTP/1.1`, ...lines, '', json].join('\r\n');
}

export function getRequest(path: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ Host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return [`GET ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
}

import { connect } from 'node:net';

export interface KeptConnection {
  readonly statuses: number[];
  readonly ended: Promise<End>;
}

interface End {
  /** The code of the socket error, such as ECONNRESET. */
  readonly error: string | undefined;
  readonly isAnswered: boolean;
}

/** Sends requests on one connection, one at a time, until the server closes the connection. */
export function repeatOnOneConnection(port: number, newRequest: () => string): KeptConnection {
  const statuses: number[] = [];
  let text = '';
  let isAnswered = true;
  let error: string | undefined;
  const socket = connect(port, '127.0.0.1').setNoDelay().setEncoding('latin1');
  const send = (): void => {
    isAnswered = false;
    socket.write(newRequest());
  };
  socket.on('connect', send).on('data', (part: string) => {
    text += part;
    const [head = '', body] = text.split('\r\n\r\n', 2);
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1]);
    if (body === undefined || body.length < length) return;
    text = '';
    isAnswered = true;
    statuses.push(Number(head.split(' ', 2)[1]));
    if (!/^connection: close/im.test(head)) send();
  });
  socket.on('error', ({ code }: NodeJS.ErrnoException) => (error = code));
  const ended = new Promise<End>((resolve) => {
    socket.once('close', () => resolve({ error, isAnswered }));
  });
  return { statuses, ended };
}

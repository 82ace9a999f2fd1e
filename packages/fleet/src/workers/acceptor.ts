import { createServer, type Server, type Socket } from 'node:net';
import { bearerToken } from '@eaas/protocol/service';
import { acceptWaiting, hashApiKey, hostsOf, listening, listenOnEach } from '@eaas/server/internal';
import { stopReading } from './socket-handle.ts';

const longestHead = 16 * 1024;
const mostReads = 16;
const patience = 1_000;
const mostWaiting = 1_000;

export interface Arrival {
  readonly bytes: Buffer;
  readonly token: string | undefined;
}

export type Deliver = (socket: Socket, arrival: Arrival) => void;

export interface Acceptor {
  /** Stops listening, and passes all waiting connections to `deliver`. */
  close(): Promise<void>;
}

export async function openAcceptor(
  { host, port, isEncrypted }: { host: string; port: number; isEncrypted: boolean },
  deliver: Deliver,
): Promise<Acceptor> {
  const waiting = new Map<Socket, () => void>();
  const accept = (socket: Socket): void => {
    if (isEncrypted) deliver(socket, { bytes: Buffer.alloc(0), token: undefined });
    else readHead(socket, waiting, deliver);
  };
  const servers: Server[] = [];
  await listenOnEach(await hostsOf(host), port, (address) => {
    const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: isEncrypted }, accept);
    servers.push(server);
    return listening(server, address);
  }).catch((error: unknown) => {
    for (const server of servers) server.close();
    throw error;
  });
  return {
    async close() {
      await acceptWaiting();
      for (const server of servers) server.close();
      // `finish` passes each connection whose headers are incomplete to a worker, which ends the connection without a
      // reset.
      for (const finish of waiting.values()) finish();
    },
  };
}

/** If the headers arrive too slowly, are too long or stay incomplete, any worker gets the connection. */
function readHead(socket: Socket, waiting: Map<Socket, () => void>, deliver: Deliver): void {
  let [bytes, reads] = [Buffer.alloc(0), 0];
  const read = (chunk: Buffer): void => {
    bytes = Buffer.concat([bytes, chunk]);
    if (++reads >= mostReads || bytes.length > longestHead || isComplete(bytes)) finish();
  };
  const leave = (): void => {
    clearTimeout(timer);
    waiting.delete(socket);
    socket.off('data', read).off('end', finish).off('close', leave);
  };
  const finish = (): void => {
    leave();
    stopReading(socket);
    deliver(socket, { bytes, token: tokenIn(bytes) });
  };
  const timer = setTimeout(finish, patience);
  waiting.set(socket, finish);
  socket
    .on('data', read)
    .on('end', finish)
    .on('close', leave)
    .on('error', () => socket.destroy());
  const [oldest] = waiting.values();
  if (waiting.size > mostWaiting) oldest?.();
}

const end = '\r\n\r\n';
/**
 * Captures the header's value with its leading spaces. A separate pattern for these spaces would make the search
 * quadratic.
 */
const authorizationLine = /\r\nauthorization:([^\r\n]*)\r\n/i;

/**
 * Whether the bytes are enough to choose a worker. Bytes that are not valid HTTP are enough, because any worker can
 * refuse them.
 */
export function isComplete(bytes: Buffer): boolean {
  const text = bytes.toString('latin1');
  return text.includes(end) || authorizationLine.test(text) || isGarbage(text);
}

function isGarbage(text: string): boolean {
  return /^(?!$|[A-Z-]+(?: |$))/.test(text) || /[^\r]\n|[^\t\r\n\x20-\x7e\x80-\xff]/.test(text);
}

/** The hash only chooses a worker and grants no access. */
export function tokenIn(bytes: Buffer): string | undefined {
  const [head = ''] = bytes.toString('latin1').split(end, 1);
  const token = bearerToken(authorizationLine.exec(`${head}\r\n`)?.[1]?.trimStart());
  return token === '' ? undefined : Buffer.from(hashApiKey(token)).toString('hex');
}

import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export interface Wire {
  readonly port: number;
  /** The number of bytes in both directions. */
  bytes: number;
  /** The number of times that PostgreSQL reported that it was ready for the next query. */
  roundTrips: number;
}

/** Relays connections to the Unix socket of PostgreSQL, and counts what they carry. */
export async function openWire(path: string, defer: (close: () => unknown) => void): Promise<Wire> {
  const wire = { port: 0, bytes: 0, roundTrips: 0 };
  const server = createServer((client) => {
    const database = connect(path);
    const readyIn = readyCounter();
    client.on('data', (bytes) => {
      wire.bytes += bytes.length;
      database.write(bytes);
    });
    database.on('data', (bytes) => {
      wire.bytes += bytes.length;
      wire.roundTrips += readyIn(bytes);
      client.write(bytes);
    });
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      one.on('close', () => other.destroy()).on('error', () => one.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  defer(() => server.close());
  const address = server.address();
  wire.port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return wire;
}

/**
 * Returns a function that counts the messages `ReadyForQuery` in a stream. A message is a byte with its type, the
 * length of the rest in four bytes, and the rest.
 */
export function readyCounter(): (bytes: Uint8Array) => number {
  const head = Buffer.alloc(5);
  let inHead = 0;
  let left = 0;
  return (bytes) => {
    let ready = 0;
    for (let at = 0; at < bytes.length;) {
      if (left > 0) {
        const skipped = Math.min(left, bytes.length - at);
        left -= skipped;
        at += skipped;
        continue;
      }
      head[inHead++] = bytes[at++] ?? 0;
      if (inHead < head.length) continue;
      inHead = 0;
      left = head.readUInt32BE(1) - 4;
      if (head[0] === 0x5a) ready++;
    }
    return ready;
  };
}

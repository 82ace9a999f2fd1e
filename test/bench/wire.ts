import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Defer } from './compare.ts';

export interface Wire {
  readonly port: number;
  bytes: number;
  roundTrips: number;
}

export async function openWire(path: string, defer: Defer): Promise<Wire> {
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

/** A PostgreSQL message begins with one byte for its type and four bytes for its length. */
function readyCounter(): (bytes: Uint8Array) => number {
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

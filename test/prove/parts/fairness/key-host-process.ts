// A host of key sets that means no good: the first part of a path says how. Prints the path of each request, and when it ends,
// how many bytes the host could send.
import { randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { moods } from './key-host.ts';

type Mood = (typeof moods)[number] | 'once';

/** As many keys as fit into the bytes, none of which any token names. */
function keysOf(bytes: number): string {
  const coordinate = (): string => randomBytes(32).toString('base64url');
  const key = () => ({ kty: 'OKP', crv: 'Ed25519', x: coordinate(), kid: coordinate() });
  const count = Math.floor((bytes - 20) / (JSON.stringify(key()).length + 1));
  return JSON.stringify({ keys: Array.from({ length: count }, key) });
}

const part = keysOf(60_000);
const known = new Set<string>();

const answers: Readonly<Record<Mood, (response: ServerResponse, rest: string) => unknown>> = {
  hangs: (response) => response.writeHead(200).write(' '),
  large: sendAgain,
  junk: (response) => response.end('['.repeat(60_000)),
  changes: (response) => response.end(keysOf(60_000)),
  once(response, rest) {
    if (known.has(rest)) return answers.hangs(response, rest);
    known.add(rest);
    return response.end(Buffer.from(rest, 'base64url'));
  },
};

function sendAgain(response: ServerResponse): void {
  while (!response.destroyed)
    if (!response.write(part)) return void response.once('drain', () => sendAgain(response));
}

const server = createServer(({ url = '/' }, response) => {
  const [, mood = '', rest = ''] = url.split('/');
  process.stdout.write(`${url}\n`);
  const { socket } = response;
  response.on('error', () => {}).on('close', () => process.stdout.write(`${socket?.bytesWritten}\n`));
  answers[mood as Mood](response, rest);
}).listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
process.stdin.resume().on('end', () => process.exit());

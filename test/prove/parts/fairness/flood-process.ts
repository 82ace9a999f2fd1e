// Floods a server until the standard input ends, and prints how often it got each status.
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Flood, type FloodName, floods, type FloodTarget } from './floods.ts';

const [name = '', file = ''] = process.argv.slice(2);
const flood: Flood = floods[name as FloodName];
const target = JSON.parse(readFileSync(file, 'utf8')) as FloodTarget;
const next = flood.requests(target);
const counts: Record<string, number> = {};
const count = (status: number): void => {
  counts[status] = (counts[status] ?? 0) + 1;
};

function open(): Socket {
  const socket = connect(target.port, '127.0.0.1').setNoDelay(true);
  return socket.on('error', () => socket.destroy());
}

/** Sends one request after the other. A library would use more CPU time than this. Ends with the connection. */
function sendAll(): Promise<void> {
  return new Promise((resolve) => {
    const socket = open();
    let head = '';
    let left = -1;
    socket.on('data', (bytes) => {
      if (left < 0) {
        head += bytes.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        left =
          Number(/\r\ncontent-length: (\d+)/i.exec(head.slice(0, end))?.[1] ?? 0) - (head.length - end - 4);
      } else left -= bytes.length;
      if (left > 0) return;
      count(Number(head.slice(9, 12)));
      [head, left] = ['', -1];
      socket.write(next());
    });
    socket.once('close', resolve);
    socket.write(next());
  });
}

async function upload(): Promise<void> {
  const request = next();
  const socket = open();
  let status = 0;
  socket.on('data', (bytes) => {
    status ||= Number(bytes.toString('latin1', 9, 12));
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(request.subarray(0, -12));
  const drip = setInterval(() => socket.write(' '), 3_000);
  await closed;
  clearInterval(drip);
  count(status);
}

async function again(): Promise<never> {
  for (;;) {
    await (flood.slow ? upload() : sendAll());
    // Without a pause, refused connections would cause a busy loop.
    await sleep(20);
  }
}

for (let nth = 0; nth < flood.connections; nth++) void again();
process.stdout.write('floods\n');
process.stdin.resume().on('end', () => {
  process.stdout.write(JSON.stringify(counts), () => process.exit());
});

import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from './connection.ts';
import { type Flood, type FloodName, floods, type FloodTarget } from './floods.ts';

const [name = '', file = '', connections] = process.argv.slice(2);
const flood: Flood = floods[name as FloodName];
const target = JSON.parse(readFileSync(file, 'utf8')) as FloodTarget;
const next = flood.requests(target);
const counts: Record<string, number> = {};
const count = (status: number): void => {
  counts[status] = (counts[status] ?? 0) + 1;
};

async function sendAgain(): Promise<never> {
  const connection = new Connection(target.port);
  for (;;) count(await connection.send(next()));
}

async function upload(): Promise<void> {
  const request = next();
  const socket = connect(target.port, '127.0.0.1');
  let status = 0;
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes) => (status ||= Number(bytes.toString('latin1', 9, 12))));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(request.subarray(0, -12));
  const drip = setInterval(() => socket.write(' '), 3_000);
  await closed;
  clearInterval(drip);
  count(status);
}

async function uploadAgain(): Promise<never> {
  for (;;) {
    await upload();
    await sleep(10);
  }
}

for (let nth = 0; nth < Number(connections ?? flood.connections); nth++) {
  void (flood.slow ? uploadAgain() : sendAgain());
}
process.stdout.write('floods\n');
process.stdin.resume().on('end', () => {
  process.stdout.write(JSON.stringify(counts), () => process.exit());
});

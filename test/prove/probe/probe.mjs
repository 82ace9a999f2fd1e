// Measures the event loop of a server. Trials load this file with NODE_OPTIONS=--import.
import { openSync, readlinkSync, readSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

// CPU time does not include the time in which other processes used the core.
const schedule = openSync(`/proc/${readlinkSync('/proc/thread-self')}/schedstat`);
const text = Buffer.alloc(64);
const busyMilliseconds = () => {
  const length = readSync(schedule, text, 0, text.length, 0);
  return Number(text.toString('latin1', 0, length).split(' ')[0]) / 1e6;
};

let last = busyMilliseconds();
let longest = 0;
// Synchronous code delays the timer. The CPU time between two runs of the timer therefore includes this code.
setInterval(() => {
  const busy = busyMilliseconds();
  const section = busy - last;
  last = busy;
  if (section > longest) longest = section;
}, 2).unref();

createServer((socket) => {
  socket.unref();
  socket.on('error', () => socket.destroy());
  socket.end(JSON.stringify({ longest }));
  longest = 0;
})
  .listen(join(process.env.PROVE_DIRECTORY, `${process.pid}-${threadId}.sock`))
  .unref();

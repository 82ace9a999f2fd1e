// Changes the clock of a server and measures its event loop. Trials load this file with NODE_OPTIONS=--import.
import { openSync, readlinkSync, readSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

const realNow = Date.now;
let offset = Number(process.env.PROVE_CLOCK ?? 0);

const now = () => realNow() + offset;
Date.now = now;
globalThis.Date = new Proxy(Date, {
  apply: (target) => new target(now()).toString(),
  construct: (target, args, made) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, made === globalThis.Date ? target : made),
});

// CPU time does not include the time in which other processes used the core.
const schedule = openSync(`/proc/${readlinkSync('/proc/thread-self')}/schedstat`);
const text = Buffer.alloc(64);
const busyMilliseconds = () => {
  const length = readSync(schedule, text, 0, text.length, 0);
  return Number(text.toString('latin1', 0, length).split(' ')[0]) / 1e6;
};

let last = busyMilliseconds();
let longest = 0;
let over = 0;
// Synchronous code delays the timer. The CPU time between two runs of the timer therefore includes this code.
setInterval(() => {
  const busy = busyMilliseconds();
  const section = busy - last;
  last = busy;
  if (section > longest) longest = section;
  if (section > 50) over += 1;
}, 2).unref();

const commands = {
  clock: ({ milliseconds }) => {
    offset = milliseconds;
    return {};
  },
  sections: () => {
    const answer = { longest, over };
    longest = 0;
    over = 0;
    return answer;
  },
};

createServer((socket) => {
  socket.unref();
  socket.on('error', () => socket.destroy());
  socket.once('data', (data) => {
    const command = JSON.parse(data.toString());
    socket.end(JSON.stringify(commands[command.name](command)));
  });
})
  .listen(join(process.env.PROVE_DIRECTORY, `${process.pid}-${threadId}.sock`))
  .unref();

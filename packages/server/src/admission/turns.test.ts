import { MessageChannel } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { setTimeLimits } from '@eaas/test-kit/time-limits';
import { CallEnd } from '../base/waiting-room.ts';
import { Turns } from './turns.ts';

function timed() {
  const time = { now: 0 };
  const later: (() => void)[] = [];
  const turns = new Turns(
    () => time.now,
    (turn) => later.push(turn),
  );
  const log: string[] = [];
  function* steps(name: string, count: number, each: number) {
    for (let step = 1; step <= count; step++) {
      time.now += each;
      log.push(`${name}${step}`);
      yield;
    }
    return name;
  }
  const takeTurn = (): string => {
    later.shift()?.();
    return log.splice(0).join(' ');
  };
  return { time, turns, log, later, steps, takeTurn };
}

test('work starts immediately if no other work waits', async () => {
  const { turns, log, steps } = timed();
  const done = turns.run('a', steps('a', 3, 0.25));
  expect(log).toEqual(['a1', 'a2', 'a3']);
  expect(turns.counts.waiting).toBe(0);
  expect(await done).toBe('a');
  expect(await turns.call('a', () => 'called')).toBe('called');
});

test("a tenant's work pauses after 1 ms, so that the event loop can handle I/O", async () => {
  const { turns, log, later, steps, takeTurn } = timed();
  const done = turns.run('a', steps('a', 9, 0.375));
  expect(log.splice(0)).toEqual(['a1', 'a2', 'a3']);
  expect(takeTurn()).toBe('a4 a5 a6');
  expect(takeTurn()).toBe('a7 a8 a9');
  expect(await Promise.race([done, Promise.resolve('pending')])).toBe('pending');
  expect(takeTurn()).toBe('');
  expect(await done).toBe('a');
  takeTurn();
  expect(later).toEqual([]);
});

test('tenants run in turn, regardless of their amount of work', async () => {
  const { turns, log, steps, takeTurn } = timed();
  void turns.run('a', steps('a', 4, 10));
  void turns.run('a', steps('A', 4, 10));
  const b = turns.run('b', steps('b', 1, 0.5));
  const c = turns.run('c', steps('c', 2, 10));
  expect(log.splice(0)).toEqual(['a1']);
  expect([takeTurn(), takeTurn(), takeTurn()]).toEqual(['A1', 'b1', 'c1']);
  expect(await b).toBe('b');
  expect([takeTurn(), takeTurn(), takeTurn()]).toEqual(['a2', 'c2', 'a3']);
  expect(turns.counts.waiting).toBe(3);
  expect([takeTurn(), takeTurn(), takeTurn()]).toEqual(['', 'a4', 'A2']);
  expect(await c).toBe('c');
});

test('new work of a tenant does not wait until long work of the tenant ends', () => {
  const { turns, steps, takeTurn } = timed();
  void turns.run('a', steps('long', 9, 10));
  takeTurn();
  for (const name of ['b', 'c', 'd']) void turns.run('a', steps(name, 1, 0.25));
  expect([takeTurn(), takeTurn()].join(' ')).toContain('b1 c1 d1 long');
});

test('new short work of a tenant runs between the slices of its long work', () => {
  const { turns, log, steps, takeTurn } = timed();
  void turns.run('a', steps('long', 3, 10));
  log.splice(0);
  const ran: string[] = [];
  for (let turn = 0; turn < 6; turn++) {
    void turns.run('a', steps('new', 1, 10));
    ran.push(takeTurn());
  }
  expect(ran).toEqual(['new1', 'long2', 'new1', 'long3', 'new1', 'new1']);
});

test('work that a database transaction waits for runs before all other work of its tenant', () => {
  const { turns, log, steps, takeTurn } = timed();
  void turns.run('a', steps('long', 9, 1));
  void turns.run('a', steps('new', 1, 0.25));
  void turns.run('a', steps('urgent', 3, 0.75), { isUrgent: true });
  log.splice(0);
  expect([takeTurn(), takeTurn()]).toEqual(['urgent1 urgent2', 'urgent3 long2']);
});

test('waiting work is dropped when its call ends, and does not wait for its turn', async () => {
  const { turns, steps, takeTurn } = timed();
  const call = new CallEnd();
  void turns.run('a', steps('a', 2, 1));
  const dropped = turns.run('a', steps('dropped', 9, 1), { signal: call });
  const rest = turns.run('a', steps('rest', 1, 0.25));
  call.end();
  await expect(dropped).rejects.toMatchObject({ code: 'unavailable' });
  expect([takeTurn(), takeTurn()].join(' ')).not.toContain('dropped');
  expect(await rest).toBe('rest');
  expect(turns.counts.waiting).toBe(0);
});

test('long work runs in the order of its arrival', () => {
  const { turns, log, steps, takeTurn } = timed();
  void turns.run('a', steps('a', 3, 10));
  void turns.run('a', steps('b', 3, 10));
  log.splice(0);
  expect(Array.from({ length: 5 }, takeTurn)).toEqual(['b1', 'a2', 'a3', 'b2', 'b3']);
});

test('after 16 slices, a long job lets the next long job of its tenant run', () => {
  const { turns, log, steps, takeTurn } = timed();
  void turns.run('a', steps('verify', 100, 1));
  void turns.run('a', steps('batch', 3, 1));
  log.splice(0);
  const ran = Array.from({ length: 40 }, takeTurn).join(' ').split(' ');
  const batch = ran.filter((step) => step.startsWith('batch'));
  expect(batch).toEqual(['batch1', 'batch2', 'batch3']);
  expect(ran.indexOf('batch3')).toBe(ran.indexOf('verify17') + 2);
  expect(ran).toContain('verify30');
});

test('a short call of one tenant interrupts the long work of another tenant', () => {
  const { turns, log, steps, takeTurn } = timed();
  void turns.run('a', steps('a', 9, 2));
  takeTurn();
  log.splice(0);
  void turns.run('b', steps('b', 1, 0.5));
  expect(takeTurn()).toBe('b1');
  void turns.run('b', steps('b', 1, 0.5));
  expect([takeTurn(), takeTurn()]).toEqual(['b1', 'a3']);
});

test('many short calls of one tenant get no more CPU time than one long call of another tenant', () => {
  const { turns, log, steps, takeTurn } = timed();
  void turns.run('a', steps('a', 100, 2));
  log.splice(0);
  let turnsOf = { a: 0, b: 0 };
  for (let turn = 0; turn < 50; turn++) {
    void turns.run('b', steps('b', 1, 0.5));
    const ran = takeTurn();
    turnsOf = {
      a: turnsOf.a + (ran.match(/a/g)?.length ?? 0),
      b: turnsOf.b + (ran.match(/b/g)?.length ?? 0),
    };
  }
  expect(turnsOf.b / 4).toBeCloseTo(turnsOf.a, -1);
  expect(turnsOf.a).toBeGreaterThan(5);
});

test('several small pieces of work of a tenant run in one slice of time', () => {
  const { turns, log, time, takeTurn } = timed();
  const small = (name: string) => () => {
    time.now += 0.25;
    log.push(name);
  };
  for (const name of ['1', '2', '3', '4', '5', '6', '7', '8', '9']) void turns.call('a', small(name));
  void turns.call('b', small('b'));
  expect(log.splice(0).join(' ')).toBe('1 2 3 4');
  expect([takeTurn(), takeTurn(), takeTurn()]).toEqual(['5 6 7 8', 'b', '9']);
});

test('if a piece of work fails, its promise rejects and the next work runs', async () => {
  const { turns, time, takeTurn, steps } = timed();
  const fail = () => {
    time.now += 20;
    throw new Error('broken');
  };
  await expect(turns.call('a', fail)).rejects.toThrow('broken');
  const second = turns.call('a', fail);
  const third = turns.run('a', steps('a', 1, 0));
  expect([takeTurn(), takeTurn()]).toEqual(['', 'a1']);
  await expect(second).rejects.toThrow('broken');
  expect(await third).toBe('a');
});

test('the queue refuses work that waits two seconds before its start', async () => {
  setTimeLimits(1);
  const { turns, time, takeTurn, steps } = timed();
  const begun = turns.run('a', steps('a', 3, 10));
  expect(takeTurn()).toBe('a1 a2');
  const late = turns.run('b', steps('b', 1, 1));
  const rest = turns.run('c', steps('c', 1, 0.5), { isBegun: true });
  late.catch(() => {});
  time.now += 2_001;
  expect([takeTurn(), takeTurn(), takeTurn()]).toEqual(['', 'c1', 'a3']);
  expect(await rest).toBe('c');
  expect(takeTurn()).toBe('');
  await expect(late).rejects.toMatchObject({ code: 'unavailable' });
  expect(await begun).toBe('a');
  expect(turns.counts).toEqual({ waiting: 0, refused: 1 });
});

test('the queue refuses long work that waits two seconds for its second slice', async () => {
  setTimeLimits(1);
  const { turns, log, time, takeTurn, steps } = timed();
  const first = turns.run('a', steps('a', 9, 10));
  const second = turns.run('a', steps('b', 9, 10));
  const third = turns.run('a', steps('c', 9, 10), { isBegun: true });
  for (const job of [first, second, third]) job.catch(() => {});
  expect(log.splice(0)).toEqual(['a1']);
  expect([takeTurn(), takeTurn(), takeTurn()]).toEqual(['b1', 'a2', 'c1']);
  time.now += 2_001;
  expect(Array.from({ length: 8 }, takeTurn).join(' ')).toBe('a3 a4 a5 a6 a7 a8 a9 c2');
  await expect(second).rejects.toMatchObject({ code: 'unavailable' });
  expect(await first).toBe('a');
  expect(turns.counts).toEqual({ waiting: 1, refused: 1 });
});

test('the queue refuses work that does not end within its time limit', async () => {
  const { turns, log, takeTurn, steps } = timed();
  const slow = turns.run('a', steps('a', 9, 10), { within: 25 });
  slow.catch(() => {});
  expect(log.splice(0)).toEqual(['a1']);
  expect([takeTurn(), takeTurn(), takeTurn()]).toEqual(['a2', 'a3', '']);
  await expect(slow).rejects.toMatchObject({ code: 'unavailable' });
  expect(turns.counts).toEqual({ waiting: 0, refused: 1 });
});

test('work that waits or has begun is dropped if its client has disconnected', async () => {
  const { turns, log, takeTurn, steps } = timed();
  const client = new AbortController();
  const begun = turns.run('a', steps('a', 9, 10), client);
  const waiting = turns.run('a', steps('b', 9, 10), client);
  const refused = Promise.all([begun, waiting].map((work) => expect(work).rejects.toThrow('busy')));
  client.abort();
  expect(log.splice(0)).toEqual(['a1']);
  expect([takeTurn(), takeTurn()]).toEqual(['', '']);
  await refused;
  expect(turns.counts.waiting).toBe(0);
});

test('the event loop handles I/O between the time slices of long work', async () => {
  const turns = new Turns();
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  const arrived: string[] = [];
  port2.on('message', (message: string) => arrived.push(message));
  let slices = 0;
  // Each step is longer than a slice. Without I/O in between, all steps run before the message arrives.
  function* untilArrived() {
    while (arrived.length === 0 && slices++ < 1_000) {
      for (const end = performance.now() + 1; performance.now() <= end;);
      yield;
    }
    return arrived.length;
  }
  const working = turns.run('a', untilArrived());
  port1.postMessage('');
  expect(await working).toBe(1);
});

test('a tenant starts at most 8 calls per turn, so another tenant does not wait until all 40 calls have started', async () => {
  const { turns, takeTurn } = timed();
  const started: string[] = [];
  const begin = (name: string) => void turns.begin(name).then(() => started.push(name));
  for (let nth = 0; nth < 40; nth++) begin('a');
  begin('b');
  await Promise.resolve();
  expect(started.join('')).toBe('a'.repeat(8));
  takeTurn();
  takeTurn();
  await Promise.resolve();
  expect(started.slice(8).join('')).toBe(`${'a'.repeat(8)}b`);
});

test('a start can count as more CPU time, so that fewer of them share a turn', async () => {
  const { turns, takeTurn } = timed();
  const started: string[] = [];
  const begin = (name: string, cost: number) => void turns.begin(name, { cost }, () => started.push(name));
  for (let nth = 0; nth < 6; nth++) begin('a', 0.5);
  expect(started).toHaveLength(2);
  takeTurn();
  expect(started).toHaveLength(4);
});

import { expect, test } from 'vitest';
import { Fair } from './fair.ts';

/** A time that stands still, and turns and timers that come when the test says. */
function made() {
  const place = { time: 0 };
  const turns: (() => void)[] = [];
  const timers: (() => void)[] = [];
  const fair = new Fair(
    () => place.time,
    (work, milliseconds) => (milliseconds === undefined ? turns : timers).push(work),
  );
  return {
    fair,
    place,
    turns,
    turn: async () => {
      for (const work of turns.splice(0)) setImmediate(work);
      await settled();
      await settled();
    },
    timeOut: async () => {
      for (const work of timers.splice(0)) work();
      await settled();
    },
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Enters, and says what came of it so far. */
function entering(fair: Fair, tenantId: string, cost: number, end = new AbortController()) {
  const seen = { is: 'waits', leave: () => end.abort() };
  fair.enter(tenantId, cost, end.signal, (refusal) => {
    seen.is = refusal?.code ?? 'in';
  });
  return seen;
}

const stateOf = (all: readonly { readonly is: string }[]) => all.map(({ is }) => is);

test('a tenant gets half, another half of the rest, and a third whatever is free', async () => {
  const { fair } = made();
  const first = [entering(fair, 'ann', 64), entering(fair, 'ann', 1)];
  const second = [entering(fair, 'bob', 31), entering(fair, 'bob', 1), entering(fair, 'bob', 1)];
  const third = [entering(fair, 'cid', 32), entering(fair, 'dan', 1)];
  await settled();
  expect(stateOf(first)).toEqual(['in', 'waits']);
  expect(stateOf(second)).toEqual(['in', 'in', 'waits']);
  expect(stateOf(third)).toEqual(['in', 'waits']);
  expect(fair.counts).toEqual({ held: 128, waiting: 3, refused: 0, paused: 0 });
});

test('who leaves makes room for those that wait, tenant by tenant', async () => {
  const { fair } = made();
  const [ann, bob] = [entering(fair, 'ann', 50), entering(fair, 'bob', 37)];
  const waiting = [
    entering(fair, 'ann', 25),
    entering(fair, 'ann', 25),
    entering(fair, 'bob', 25),
    entering(fair, 'cid', 42),
  ];
  await settled();
  expect(stateOf([ann, bob, ...waiting])).toEqual(['in', 'in', 'waits', 'waits', 'waits', 'waits']);
  ann.leave();
  ann.leave();
  await settled();
  expect(stateOf(waiting)).toEqual(['in', 'waits', 'waits', 'in']);
  bob.leave();
  await settled();
  expect(stateOf(waiting)).toEqual(['in', 'waits', 'in', 'in']);
});

test('a small request does not overtake a large one of its tenant', async () => {
  const { fair } = made();
  const first = entering(fair, 'ann', 50);
  const waiting = [entering(fair, 'ann', 25), entering(fair, 'ann', 1)];
  await settled();
  expect(stateOf(waiting)).toEqual(['waits', 'waits']);
  first.leave();
  await settled();
  expect(stateOf(waiting)).toEqual(['in', 'in']);
});

test('a request that waits too long is refused, and one behind it that fits is let in', async () => {
  const { fair, timeOut } = made();
  const first = entering(fair, 'ann', 50);
  const large = entering(fair, 'ann', 25);
  await timeOut();
  expect(stateOf([first, large])).toEqual(['in', 'unavailable']);
  const again = [entering(fair, 'ann', 25), entering(fair, 'ann', 1)];
  await timeOut();
  expect(stateOf(again)).toEqual(['unavailable', 'in']);
  expect(fair.counts).toMatchObject({ held: 51, waiting: 0, refused: 2 });
});

test('a request whose client has gone waits no longer, and does not begin', async () => {
  const { fair } = made();
  const gone = new AbortController();
  const first = entering(fair, 'ann', 64);
  const waiting = entering(fair, 'ann', 1, gone);
  gone.abort();
  const late = entering(fair, 'bob', 1, gone);
  await settled();
  expect(stateOf([waiting, late])).toEqual(['unavailable', 'unavailable']);
  first.leave();
  expect(fair.counts).toMatchObject({ held: 0, waiting: 0 });
});

test('work is over after its time, until the event loop has handled I/O', async () => {
  const { fair, place, turn } = made();
  expect(fair.isOver()).toBe(false);
  place.time = 0.5;
  expect(fair.isOver()).toBe(false);
  place.time = 10;
  expect(fair.isOver()).toBe(true);
  await turn();
  expect(fair.isOver()).toBe(false);
});

test('those who paused go on tenant by tenant as far as the time is enough, and one stranger in a turn', async () => {
  const { fair, place, turn } = made();
  const done: string[] = [];
  const work = async (tenantId: string): Promise<void> => {
    await fair.pause(tenantId);
    done.push(tenantId);
    place.time += 0.25;
  };
  const ann = '00000000-0000-4000-8000-000000000001';
  for (const name of ['no tenant', 'no tenant', 'no tenant', ann, ann, ann, ann]) void work(name);
  const turns: string[][] = [];
  for (let nth = 0; nth < 4; nth++) {
    await turn();
    turns.push(done.splice(0));
  }
  expect(turns).toEqual([['no tenant', ann, ann, ann], ['no tenant', ann], ['no tenant'], []]);
  expect(fair.counts.paused).toBe(0);
});

test('a tenant whose work comes in long pieces gets no more time than one with short pieces', async () => {
  const { fair, place, turn } = made();
  const had = { long: 0, short: 0 };
  const loop = async (name: keyof typeof had, tenantId: string, piece: number): Promise<void> => {
    while (place.time < 100) {
      await fair.pause(tenantId);
      // The work is often a few promises away.
      for (let hop = 0; hop < 3; hop++) await Promise.resolve();
      place.time += piece;
      had[name] += piece;
    }
  };
  const [ann, bob] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
  const loops = [loop('long', ann, 5), loop('long', ann, 5), loop('short', bob, 0.25)];
  while (fair.counts.paused > 0) await turn();
  await Promise.all(loops);
  expect(had.long - had.short).toBeLessThanOrEqual(10);
});

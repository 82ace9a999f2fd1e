/** The parameters of a simulated fleet. All times are in microseconds. */
export interface Model {
  readonly servers: number;
  readonly tenants: number;
  /** The cores that all processes share, or Infinity if each process has a core. */
  readonly cores: number;
  /** How many appends PostgreSQL computes at the same time. */
  readonly databaseCores: number;
  /** CPU of the client for a call, if the client runs on the same cores. */
  readonly clientPerCall: number;
  readonly serverPerCall: number;
  readonly serverPerAppend: number;
  readonly databasePerAppend: number;
  readonly databasePerEntry: number;
  /** The part of an append in which no process computes, such as the flush of the WAL. */
  readonly flush: number;
}

/** Calls that arrive at random, with their mean rate, or a number of clients that call without a pause. */
type Demand = { readonly perSecond: number } | { readonly clients: number };

export interface Simulated {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly entriesPerAppend: number;
}

interface Work {
  readonly length: number;
  readonly end: () => void;
}

/** A process, or PostgreSQL. Its work waits in the order of arrival. */
interface Station {
  readonly most: number;
  running: number;
  readonly waiting: Work[];
}

interface Tenant {
  readonly server: Station;
  waiting: (() => void)[];
  isAppending: boolean;
}

/** Simulates calls. The first tenth of the calls warms up the queues and is not counted. */
export function simulate(model: Model, demand: Demand, calls: number, seed = 1): Simulated {
  const random = randomOf(seed);
  const drawn = (mean: number): number => -mean * Math.log(1 - random());
  const { at, run, now } = clockOf();
  let free = model.cores;
  const client = station(1);
  const database = station(model.databaseCores);
  const servers = Array.from({ length: model.servers }, () => station(1));
  const stations = [database, ...servers, client];
  const tenants = Array.from({ length: model.tenants }, (_, nth): Tenant => {
    return { server: servers[nth % servers.length] ?? client, waiting: [], isAppending: false };
  });
  const times: number[] = [];
  const warmUp = calls / 10;
  let [begun, ended, countedSince, appends, entries] = [0, 0, 0, 0, 0];

  const start = (): void => {
    for (const one of stations) {
      while (one.running < one.most && free >= 1) {
        const work = one.waiting.shift();
        if (!work) break;
        one.running++;
        free--;
        at(work.length, () => {
          one.running--;
          free++;
          work.end();
          start();
        });
      }
    }
  };
  const compute = (where: Station, mean: number, then: () => void): void => {
    if (mean === 0) return then();
    where.waiting.push({ length: drawn(mean), end: then });
    start();
  };
  const append = (tenant: Tenant): void => {
    if (tenant.isAppending || tenant.waiting.length === 0) return;
    tenant.isAppending = true;
    compute(tenant.server, model.serverPerAppend, () => {
      const group = tenant.waiting;
      tenant.waiting = [];
      appends++;
      entries += group.length;
      compute(database, model.databasePerAppend + group.length * model.databasePerEntry, () =>
        at(model.flush, () => {
          tenant.isAppending = false;
          for (const answer of group) answer();
          append(tenant);
        }),
      );
    });
  };
  const call = (then: () => void): void => {
    if (begun++ >= calls) return;
    const tenant = tenants[Math.floor(random() * tenants.length)];
    if (!tenant) return;
    const sentAt = now();
    const answer = (): void => {
      ended++;
      if (ended > warmUp) times.push(now() - sentAt);
      else countedSince = now();
      then();
    };
    compute(client, model.clientPerCall, () =>
      compute(tenant.server, model.serverPerCall, () => {
        if (model.databasePerAppend === 0) return answer();
        tenant.waiting.push(answer);
        append(tenant);
      }),
    );
  };
  if ('clients' in demand) {
    const again = (): void => call(again);
    for (let nth = 0; nth < demand.clients; nth++) again();
  } else {
    const arrive = (): void => {
      call(() => {});
      if (begun < calls) at(drawn(1e6 / demand.perSecond), arrive);
    };
    arrive();
  }
  run();
  return {
    perSecond: (1e6 * times.length) / (now() - countedSince),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    entriesPerAppend: appends === 0 ? 0 : entries / appends,
  };
}

const station = (most: number): Station => ({ most, running: 0, waiting: [] });

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

interface Event {
  readonly time: number;
  readonly end: () => void;
}

/** A simulated clock. It runs planned work in the order of its time, which a binary heap keeps. */
function clockOf() {
  const heap: Event[] = [];
  let time = 0;
  const isEarlier = (a: number, b: number): boolean =>
    (heap[a]?.time ?? Infinity) < (heap[b]?.time ?? Infinity);
  const swap = (a: number, b: number): void => {
    const [one, other] = [heap[a], heap[b]];
    if (one && other) [heap[a], heap[b]] = [other, one];
  };
  const next = (): Event | undefined => {
    const first = heap[0];
    const last = heap.pop();
    if (first && last && heap.length > 0) {
      heap[0] = last;
      for (let nth = 0; ;) {
        const child = isEarlier(2 * nth + 2, 2 * nth + 1) ? 2 * nth + 2 : 2 * nth + 1;
        if (!isEarlier(child, nth)) break;
        swap(child, nth);
        nth = child;
      }
    }
    return first;
  };
  return {
    now: () => time,
    at: (delay: number, then: () => void): void => {
      heap.push({ time: time + delay, end: then });
      for (let nth = heap.length - 1; nth > 0;) {
        const parent = (nth - 1) >> 1;
        if (!isEarlier(nth, parent)) break;
        swap(nth, parent);
        nth = parent;
      }
    },
    run: (): void => {
      for (let event = next(); event; event = next()) {
        time = event.time;
        event.end();
      }
    },
  };
}

/** Returns a random number generator (Mulberry32). The same seed gives the same numbers. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

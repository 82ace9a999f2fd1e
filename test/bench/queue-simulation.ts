import { type Model, type Server, type Station, station, takeNext, type Tenant } from './queue-stations.ts';
import { randomOf } from './random.ts';
import { clockOf } from './simulated-clock.ts';
import { quantile } from '@eaas/test-kit/statistics';

type Demand = { readonly perSecond: number } | { readonly clients: number };

export interface Simulated {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly entriesPerAppend: number;
}

export function simulate(model: Model, demand: Demand, calls: number, seed = 1): Simulated {
  const random = randomOf(seed);
  const drawn = (mean: number): number => (mean === 0 ? 0 : -mean * Math.log(1 - random()));
  const pick = (measured: readonly number[]): number => measured[Math.floor(random() * measured.length)] ?? 0;
  const { at, run, now } = clockOf();
  let free = model.cores;
  const client = station(1);
  const database = station(model.databaseCores);
  const servers = Array.from({ length: model.servers }, (): Server => {
    const untilPause = random() * model.betweenPauses;
    return { ...station(1), least: 0, untilPause, free: model.connections, unconnected: [] };
  });
  const stations = [database, ...servers, client];
  const tenants = Array.from({ length: model.tenants }, (_, nth) => {
    return servers.slice(nth % servers.length, (nth % servers.length) + 1).map((server): Tenant => {
      return { server, served: 0, waiting: [], isAppending: false };
    });
  }).flat();
  const times: number[] = [];
  const warmUp = calls / 10;
  let [begun, ended, countedSince, appends, entries] = [0, 0, 0, 0, 0];
  let flushing: (() => void)[] = [];
  let isFlushing = false;

  const start = (): void => {
    for (const one of stations) {
      while (one.running < one.most && free >= 1) {
        const work = takeNext(one);
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
  const compute = (where: Station, length: number, end: () => void, tenant?: Tenant): void => {
    if (length === 0) return end();
    where.waiting.push({ length, end, ...(tenant && { tenant }) });
    start();
  };
  const serve = (tenant: Tenant, mean: number, then: () => void): void => {
    const { server } = tenant;
    let length = drawn(mean);
    server.untilPause -= length;
    if (server.untilPause < 0) {
      server.untilPause += model.betweenPauses;
      length += pick(model.pauses);
    }
    tenant.served = Math.max(tenant.served, server.least);
    compute(server, length, then, tenant);
  };
  const flush = (): void => {
    if (isFlushing || flushing.length === 0) return;
    const group = flushing;
    flushing = [];
    isFlushing = true;
    at(pick(model.flushes), () => {
      isFlushing = false;
      for (const end of group) end();
      flush();
    });
  };
  const connect = (server: Server, then: () => void): void => {
    if (server.free > 0) {
      server.free--;
      then();
    } else server.unconnected.push(then);
  };
  const disconnect = (server: Server): void => {
    const next = server.unconnected.shift();
    if (next) next();
    else server.free++;
  };
  const append = (tenant: Tenant): void => {
    if (tenant.isAppending || tenant.waiting.length === 0) return;
    const { server, waiting: group } = tenant;
    tenant.isAppending = true;
    tenant.waiting = [];
    appends++;
    entries += group.length;
    const settle = (): void => {
      disconnect(server);
      serve(tenant, model.serverPerAppend / 2, () => {
        tenant.isAppending = false;
        for (const answer of group) answer();
        append(tenant);
      });
    };
    const write = (): void => {
      const mean = model.databasePerAppend + group.length * model.databasePerEntry;
      compute(database, drawn(mean), () => {
        flushing.push(settle);
        flush();
      });
    };
    serve(tenant, model.serverPerAppend / 2, () => connect(server, write));
  };
  const call = (then: () => void): void => {
    if (begun++ >= calls) return;
    const tenant = tenants[Math.floor(random() * tenants.length)];
    if (!tenant) return;
    const sentAt = now();
    const answer = (): void =>
      compute(client, drawn(model.clientPerCall / 2), () => {
        ended++;
        if (ended > warmUp) times.push(now() - sentAt);
        else countedSince = now();
        then();
      });
    compute(client, drawn(model.clientPerCall / 2), () =>
      serve(tenant, model.serverPerCall, () => {
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

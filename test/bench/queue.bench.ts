import type { Defer, Measurement } from './compare.ts';
import { repeated } from './costs.ts';
import type { Figures } from './figures.ts';
import { openLoop } from './open-loop.ts';
import { connectDeferred, openOperator, startDeferred } from './open-operator.ts';
import { newCustomers, wrapOf } from './operations.ts';
import { calibrate, load, observed, type Place, timesOf } from './queue-calibration.ts';
import { simulate, type Simulated } from './queue-simulation.ts';
import type { Model } from './queue-stations.ts';
import { mean, median, quantile } from '@eaas/test-kit/statistics';

const tenants = 16;
const connections = 4;
const rounds = 7;
const share = 0.7;
const simulatedCalls = 200_000;

export const benchmark: Measurement = {
  name: 'queue',
  about: `wraps of ${tenants} tenants at 70 % of the capacity of one server, and compares the results with a simulation. The rows with more servers come only from the simulation`,
  async measure(defer, print) {
    const place = await setUp(defer);
    const model = await calibrate(place);
    for (const { name, values } of timesOf(model).rows) print(`${name}: ${values[0]?.toFixed(1)} µs`);
    const measured = await measureRounds(place, print);
    const full = simulate(model, { clients: tenants * connections }, simulatedCalls);
    const simulated = simulate(model, { perSecond: share * full.perSecond }, simulatedCalls);
    return [timesOf(model), compared(measured, full, simulated), fleets(model)];
  },
};

async function setUp(defer: Defer): Promise<Place> {
  const { postgres, ...operator } = await openOperator(defer, 'installed');
  const sql = connectDeferred(defer, postgres);
  const server = await startDeferred(defer, operator.env, observed);
  const texts = (await newCustomers(operator, server, tenants)).map(wrapOf);
  return { sql, server, postgresPid: postgres.pid, texts };
}

/** Each round measures the capacity again, because the load of other processes changes. */
async function measureRounds(place: Place, print: (text: string) => void): Promise<Simulated> {
  const taken: Simulated[] = [];
  for (let round = 0; round < rounds; round++) {
    const one = await repeated(() => measureRound(place));
    taken.push(one);
    const shown = [one.perSecond, one.p50 / 1_000, one.p99 / 1_000];
    print(`capacity, p50, p99: ${shown.map((value) => value.toFixed(1)).join(', ')}`);
  }
  const of = (name: keyof Simulated): number => median(taken.map((one) => one[name]));
  return {
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    entriesPerAppend: of('entriesPerAppend'),
  };
}

async function measureRound(place: Place): Promise<Simulated> {
  const { perSecond, entriesPerAppend } = await load(place, connections, 4_800);
  const loop = await openLoop(place.server.port, place.texts, 16);
  try {
    const times = await loop.run(share * perSecond, Math.round(3 * share * perSecond));
    return { perSecond, p50: quantile(times, 0.5), p99: quantile(times, 0.99), entriesPerAppend };
  } finally {
    loop.close();
  }
}

function compared(measured: Simulated, full: Simulated, simulated: Simulated): Figures {
  const row = (name: string, one: number, other: number) => ({ name, values: [one, other, other / one] });
  return {
    name: 'one server, client and PostgreSQL on two cores',
    columns: ['measured', 'simulated', 'ratio'],
    rows: [
      row('wraps per second without a pause', measured.perSecond, full.perSecond),
      row('entries per append', measured.entriesPerAppend, full.entriesPerAppend),
      row('p50 at 70 % of it, ms', measured.p50 / 1_000, simulated.p50 / 1_000),
      row('p99 at 70 % of it, ms', measured.p99 / 1_000, simulated.p99 / 1_000),
    ],
  };
}

function fleets(model: Model): Figures {
  const rows = [
    [8, 1_000],
    [8, 100_000],
    [64, 100_000],
  ].flatMap(([servers = 0, count = 0]) => {
    const work = model.databasePerAppend + model.databasePerEntry;
    const ratio = work / (model.serverPerCall + model.serverPerAppend);
    const databaseCores = Math.ceil(1.5 * servers * ratio);
    const fleet: Model = {
      ...model,
      servers,
      databaseCores,
      tenants: count,
      connections: 2,
      cores: Infinity,
      clientPerCall: 0,
    };
    const paused = 1 + mean(model.pauses) / model.betweenPauses;
    const full = (1e6 * servers) / (paused * (model.serverPerCall + model.serverPerAppend));
    return [0.5, 0.7, 0.9].map((part) => {
      const perSecond = part * full;
      const { p50, p99, entriesPerAppend } = simulate(fleet, { perSecond }, 2 * simulatedCalls);
      return {
        name: `${servers} servers, ${count.toLocaleString('en')} tenants, ${100 * part} %`,
        values: [perSecond, p50 / 1_000, p99 / 1_000, entriesPerAppend],
      };
    });
  });
  const columns = ['wraps per second', 'p50, ms', 'p99, ms', 'entries per append'];
  return { name: 'simulated fleet and its load', columns, rows };
}

// The simulation of the ledger, with as many seeds as a night holds: `npm run prove -- simulate 5000`. And its plans once more, on
// PostgreSQL and in real time: a seed then says what is tried, and not what comes of it.
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sample } from 'fast-check';
import postgres from 'postgres';
import { entries, type EntryRow, nameOf, type Query, type Store } from '@eaas/service';
import { createDatabase, migrated, type TestDatabase } from '@eaas/test-kit/database';
import { Database } from '../../../packages/server/src/postgres/database.ts';
import { isDatabaseFault } from '../../../packages/server/src/postgres/faults.ts';
import { postgresStore } from '../../../packages/server/src/postgres/postgres-store.ts';
import { cuttingProxy } from '../../../packages/server/test/faults/cutting-proxy.ts';
import { leap, start } from '../../../packages/service/test/simulation/calls.ts';
import { Broken } from '../../../packages/service/test/simulation/database.ts';
import { chanceOf, type Plan, plans } from '../../../packages/service/test/simulation/plan.ts';
import { faultOf, tell } from '../../../packages/service/test/simulation/simulate.ts';
import { type Base, type Time, World } from '../../../packages/service/test/simulation/world.ts';
import { startPostgres, stepClock } from '../machine/postgres.ts';
import { asked, chosenSeed, Findings, type Part, scaled, type Trial } from '../trial.ts';

const ledger: Trial = {
  name: 'ledger',
  about: 'two replicas and a database that break at any step, in virtual time; a number says how many seeds',
  limit: 24 * 60 * 60,
  async run(findings) {
    // Each night learns something. A fault says its seed: `--seed` repeats it.
    const first = chosenSeed ?? randomInt(2 ** 31);
    const count = asked ?? (chosenSeed === undefined ? scaled(1_000) : 1);
    console.log(`seeds from ${first} on: npm run prove -- simulate:ledger ${count} --seed=${first}`);
    for (let seed = first; seed < first + count; seed++) noteSeed(findings, await faultOf(seed));
  },
};

function noteSeed(findings: Findings, fault: string | undefined): void {
  findings.try('seed');
  findings.check('the ledger is right with every seed', fault === undefined, fault);
  if (fault !== undefined) console.log(fault);
}

/** How long the world waits in milliseconds until no call is left of before, and otherwise at most. */
const [untilCalm, longest] = [6_000, 500];

/** Makes a world whose database has the clock of the world. `findings` close what it has opened. */
async function openWorld(findings: Findings, { connection, url }: TestDatabase, seed: number, plan: Plan) {
  const chance = chanceOf(seed);
  const superuser = postgres({ ...connection('superuser'), max: 1, onnotice: () => {} });
  findings.defer(() => superuser.end({ timeout: 1 }));
  let offset = 0;
  const setClock = (now: number) => {
    offset = now - performance.now();
    return stepClock(superuser, now - Date.now());
  };
  await setClock(start);
  const storeAt = (host: string): Store => {
    const database = new Database({ ...connection('server'), host }, 6);
    findings.defer(() => database.close());
    return postgresStore({ database, reads: database, background: database });
  };
  const store = storeAt(connection('server').host);
  const stores: Store[] = [];
  for (const replica of [0, 1]) {
    const proxy = await cuttingProxy({ connection, url }, () => {
      if (base.isCalm || !chance.is(0.02 + (seed % 10) / 100)) return { ms: 0 };
      findings.try('trouble');
      if (chance.is(0.05)) world.crash(replica);
      const ms = chance.below(chance.is(0.3) ? 3_000 : 100);
      return { ms, kind: chance.pick(['lose', 'late', undefined]) };
    });
    findings.defer(() => proxy.close());
    stores.push(storeAt(proxy.directory));
  }

  /** Has all entries judged that have landed. */
  const judgeNew = async (): Promise<void> => {
    for (const { judge } of world.tenants) {
      const where = [['id', '>=', judge.entries.length + 1]] as const;
      const query = { table: entries, where, by: 'id' } as unknown as Query<never>;
      const { found } = await store.read(judge.tenantId, [query]);
      const rows = found.get(nameOf(query))?.rows.map(({ row }) => row as EntryRow) ?? [];
      if (rows.length > 0) world.landed(judge.tenantId, rows);
    }
  };
  let caughtUp = Promise.resolve();
  const catchUp = (): Promise<void> => {
    caughtUp = caughtUp.then(judgeNew);
    return caughtUp;
  };
  const made: Promise<void>[] = [];
  const base: Base = {
    store,
    get time() {
      return Math.floor(performance.now() + offset);
    },
    isCalm: true,
    add: (head, writes) => void made.push(store.create(head, writes)),
    save() {},
    failOver() {},
    storeFor(replica, isUp) {
      const through = async (work: (...all: unknown[]) => Promise<unknown>, ...all: unknown[]) => {
        try {
          const done = isUp() && (await work(...all));
          await catchUp();
          return isUp() ? done : await new Promise(() => {});
        } catch (error) {
          throw isDatabaseFault(error) ? new Broken(String(error)) : error;
        }
      };
      const calls = Object.entries(stores[replica] ?? {});
      return Object.fromEntries(
        calls.map(([name, work]) => [name, through.bind(null, work as never)]),
      ) as never;
    },
  };
  const time: Time = {
    in: (milliseconds, run) => setTimeout(run, milliseconds),
    hold: (work) => work,
    cancel: (timer) => clearTimeout(timer as NodeJS.Timeout),
    async wait(milliseconds) {
      await sleep(milliseconds < 30_000 ? Math.min(milliseconds, longest) : untilCalm);
      if (milliseconds < leap) return;
      await catchUp();
      await setClock(base.time + milliseconds);
    },
  };
  const world = new World(plan, time, () => base);
  await Promise.all(made);
  return world;
}

const onPostgres: Trial = {
  name: 'postgres',
  about:
    'the same plans, on PostgreSQL behind connections that break, in real time; a number says how many seeds',
  limit: 24 * 60 * 60,
  async run(findings) {
    const server = await startPostgres(findings, false);
    const seeds = Array.from({ length: asked ?? scaled(20) }, (_, seed) => seed);
    const work = async (): Promise<void> => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
        const own = new Findings();
        const place = await createDatabase(migrated, Promise.resolve(server.connection('superuser')));
        own.defer(place.drop);
        const [plan] = sample(plans, { seed, numRuns: 1 }) as [Plan];
        const world = await openWorld(own, place, seed, plan);
        await tell(world, plan).catch((error: unknown) => {
          world.fault ??= error;
        });
        await own.close();
        findings.try('trouble', own.tried.get('trouble') ?? 0);
        const isRight = world.fault === undefined;
        noteSeed(
          findings,
          isRight ? undefined : [`seed ${seed}: ${String(world.fault)}`, ...world.steps].join('\n'),
        );
      }
    };
    await Promise.all(Array.from({ length: 10 }, work));
  },
};

export const simulate: Part = {
  name: 'simulate',
  about: 'the service over a store whose connections break, with an order of events from a seed',
  trials: [ledger, onPostgres],
};

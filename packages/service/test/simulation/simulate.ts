// The simulation of the ledger: connections break, replicas crash and standbys take over, in virtual time, while callers do what
// is awkward. The plan says all of it, so the same plan is the same run.
import { asyncProperty, check } from 'fast-check';
import * as eaas from '@eaas/service';
import { type Callers, leap, start } from './calls.ts';
import { Fault } from './judge.ts';
import type { Call } from './model.ts';
import { type Plan, plans } from './plan.ts';
import { VirtualTime } from './virtual-time.ts';
import { longest, World } from './world.ts';

const refToKey = (id: string) => eaas.refTo(eaas.keys, id);

/** How many shorter plans are tried. */
const mostTries = 150;

/** Runs the plan of a seed. Returns what is wrong with the ledger, with the steps of the shortest run that shows it. */
export async function faultOf(seed: number, tries = mostTries): Promise<string | undefined> {
  let left = tries;
  const holds = async (plan: Plan): Promise<boolean> =>
    left-- < 0 || (await simulate(plan)).fault === undefined;
  const { counterexample } = await check(asyncProperty(plans, holds), { seed, numRuns: 1 });
  if (!counterexample) return undefined;
  const [plan] = counterexample;
  const { fault, steps } = await simulate(plan);
  const text = fault instanceof Error && !(fault instanceof Fault) ? fault.stack : String(fault);
  return [`seed ${seed}: ${text}`, JSON.stringify(plan), ...steps].join('\n');
}

/** Returns the world at the end of a run. */
export async function simulate(plan: Plan): Promise<World> {
  const time = new VirtualTime();
  const putBack = time.install(start);
  const world = new World(plan, time);
  let isOver = false;
  const note = (error: unknown): void => {
    world.fault ??= error;
  };
  try {
    void tell(world, plan).then(() => {
      isOver = true;
    }, note);
    await time.runUntil(() => isOver || world.fault !== undefined).catch(note);
    return world;
  } finally {
    putBack();
  }
}

/** What happens: the tenants begin in peace, have their troubles, and are judged at the end. */
export async function tell(world: World, { calls, gap }: Plan): Promise<void> {
  const { tenants, database, chance, time } = world;
  for (const tenant of tenants) {
    for (const rotates of [false, true]) {
      await world.call(tenant, tenant.operator(tenant.newKey(`first ${rotates}`, rotates)));
    }
    for (let nth = 0; nth < 3; nth++) await world.call(tenant, tenant.operator(tenant.newApiKey()));
    await world.call(tenant, tenant.operator(tenant.newIssuer()));
    database.save(tenant.judge.tenantId, true);
  }
  database.isCalm = false;
  world.isWell = false;
  for (let nth = 0; nth < calls; nth++) {
    await scene(world, chance.pick(tenants));
    await time.wait(chance.below(chance.is(0.05) ? 3_000 : gap));
  }
  database.isCalm = true;
  await time.wait(longest);
  // For so long a replica remembers a row that was altered.
  if (tenants.some(({ judge }) => judge.altered.size > 0)) await time.wait(600_000);
  world.isWell = true;
  for (const tenant of tenants) await end(world, tenant);
}

/** One call, or several at the same time. */
async function scene(world: World, tenant: Callers): Promise<void> {
  const { below, is, pick } = world.chance;
  const some = (count: number, make: (nth: number) => Call) =>
    Array.from({ length: count }, (_, nth) => make(nth));
  const send = (calls: readonly Call[], replica?: number): void => {
    for (const call of calls) void world.call(tenant, call, replica);
  };
  const roll = below(100);
  const one = below(2);
  if (roll < 60) return send([tenant.one()]);
  if (roll < 68) return send(some(2 + below(5), () => tenant.one()));
  if (roll < 76) {
    // Several callers who differ in nothing else.
    const [doing, input] = tenant.wrap();
    const mark = tenant.mark();
    return send(
      some(2 + below(4), () => tenant.apiKey(doing, [input], mark)),
      one,
    );
  }
  if (roll < 82) {
    // A person whom perhaps nobody knows yet, on both replicas.
    const name = pick(['ada', 'eve', `person ${below(1_000)}`]);
    for (const replica of [0, 1]) {
      send(
        some(2, () => tenant.any(tenant.wrap(name))),
        replica,
      );
    }
    return;
  }
  if (roll < 94) {
    // One replica switches a key off or on, while the other reads it, and reads it again as soon as it is changed.
    const key_id = pick(tenant.keyIds);
    const look = (): void => send([tenant.any(tenant.look(key_id))], 1 - one);
    for (let nth = 0; nth < 10; nth++) world.time.in(nth * 5, look);
    void world.call(tenant, tenant.any(tenant.change(key_id, 'disable')), one).then(look);
    return;
  }
  if (roll < 97) return send(some(20, (user) => tenant.user(`user ${user}`)));
  await world.time.wait(longest);
  if (is(0.4)) return;
  // A quiet time, after which keys are due and tokens have expired: both replicas run their jobs.
  await world.time.wait(leap);
  for (const other of world.tenants) {
    other.day++;
    const jobs = other.keyIds.map((key_id) => other.operator(['settle a key', { key_id }], 'system'));
    for (const replica of [0, 1]) for (const job of jobs) void world.call(other, job, replica);
  }
}

/** Nothing goes wrong any more, but for one loss: everything must go well, and replicas tell of the loss. */
async function end(world: World, tenant: Callers): Promise<void> {
  const { judge } = tenant;
  const { chance, time, database } = world;
  for (const input of tenant.wraps.slice(-12)) {
    await world.call(tenant, tenant.any(['POST /v1/keys/:key_id/unwrap', input]));
  }
  await world.call(tenant, tenant.operator(tenant.newKey('the last')));
  const wrap = tenant.wrap('', tenant.keyIds.at(-1));
  const write = (replica: number) => world.call(tenant, tenant.operator(wrap), replica);
  const seen: number[] = [];
  for (const replica of [0, 1]) {
    await write(replica);
    seen.push(judge.entries.length);
  }
  await time.wait(3_000);
  database.failOver((tenantId) => (tenantId === judge.tenantId ? 1 + chance.below(2) : 0));
  const left = judge.entries.length;
  const first = chance.below(2);
  for (let nth = chance.below(3); nth >= 0; nth--) await write(first);
  await write(1 - first);
  await time.wait(3_000);
  for (const [replica, id] of seen.entries()) {
    if (id > left && !world.tellers.has(`${replica} ${judge.name} ${judge.epoch}`)) {
      throw new Fault(`WENT BACK: replica ${replica} does not tell of the loss of entry ${id}`);
    }
  }
  for (let nth = 0; nth < 6; nth++) await world.call(tenant, tenant.one());
  const plugins = world.plugins();
  const verifier = eaas.createService({ store: database.store, roots: world.roots, plugins });
  const { valid, rows_checked, errors } = await eaas.verifyTenant(verifier, judge.tenantId);
  if (!valid || !rows_checked) throw new Fault(`VERIFY: ${JSON.stringify(errors)}`);
  const { rows } = await database.store.read(judge.tenantId, [...judge.state.keys.keys()].map(refToKey));
  for (const [id, { name, status, version, least }] of judge.state.keys) {
    const row = rows.get(refToKey(id))?.row as eaas.KeyRow | undefined;
    if (row?.status !== status || row.key_version !== version || row.min_version !== least) {
      throw new Fault(`ROWS: the key ${name} is not what the log says`);
    }
  }
}

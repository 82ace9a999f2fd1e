// The database of the simulation: a store in memory behind connections that break. What runs on it goes on when its caller has
// gone, lands late, or dies with the lock in its hands; a standby that takes over can lack the newest entries.
import { memoryStore } from '@eaas/local/internal';
import {
  type Appended,
  compare,
  type EntryRow,
  type Link,
  LinkRefused,
  refOf,
  type Store,
  type Stored,
} from '@eaas/service';
import { start } from './calls.ts';
import { Fault } from './judge.ts';
import type { Plan, Step } from './plan.ts';
import type { World } from './world.ts';

/** What a broken connection says. Whatever else fails is a fault. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

/** A connection, and what runs for it on the database. */
interface Session {
  readonly what: string;
  readonly replica: number;
  readonly tenantId: string;
  /** Nothing runs any more. */
  isDead: boolean;
  /** Nobody waits any more, though it may still run. */
  isAlone: boolean;
  leave(): void;
}

const nothing: Step = { kind: 'none', ms: 0 };
/** After this time the database ends a session that waits, and one that holds a lock. Both in milliseconds. */
const [longest, longestWithLock] = [3_000, 1_200];
/** What rows say when somebody has altered them who wants more rights, without the key of their MACs. */
const forged = { status: 'active', min_version: 1, revoked_at: null, expires_at: null, created_at: 0 };

export class Database {
  readonly store = memoryStore({ now: () => this.time });
  /** Whether nothing goes wrong. */
  isCalm = true;
  /** By how much its clock is wrong. */
  #offset: number;
  readonly #world: World;
  readonly #sessions = new Set<Session>();
  readonly #locks = new Map<string, Session>();
  #waiting: (() => void)[] = [];
  readonly #steps: number[] = [];
  readonly #troubles = new Map<string, Step>();
  readonly #altered = new Set<Stored>();
  /** Each tenant as it was after each link, by the id of the head. */
  readonly #history = new Map<string, ReturnType<typeof copyOf>[]>();

  constructor(world: World, { troubles }: Plan) {
    this.#world = world;
    this.#offset = world.chance.below(20_000) - 10_000;
    for (const { lane, at, steps } of troubles) {
      for (const [nth, step] of steps.entries()) this.#troubles.set(`${lane} ${at + nth}`, step);
    }
  }

  get time(): number {
    return Math.floor(start + performance.now() + this.#offset);
  }

  tenant(tenantId: string) {
    const tenant = this.store.tenants.get(tenantId);
    if (!tenant) throw new Error(`expected the tenant ${tenantId}`);
    return tenant;
  }

  add: World['database']['add'] = (head, writes) => this.store.add(head, writes);

  /** The store as a replica sees it until it crashes. */
  storeFor(replica: number, isUp: () => boolean): Store {
    const { store: memory } = this;
    const trip = <T>(what: string, tenantId: string, serve: (session: Session) => Promise<T>) =>
      isUp() ? this.#trip(what, replica, tenantId, serve) : new Promise<never>(() => {});
    const look = <T>(what: string, tenantId: string, serve: () => T | Promise<T>) =>
      trip(what, tenantId, (session) => this.#step(session, 'is sent').then(serve));
    return {
      ...memory,
      read: (tenantId, needs) => look('read', tenantId, () => memory.readNow(tenantId, needs)),
      whose: (names) => look('look-up', '', () => memory.whose(names)),
      snapshot: (tenantId, needs, work) =>
        look('snapshot', tenantId, () => memory.snapshot(tenantId, needs, work)),
      append: (tenantId, link) =>
        trip('append', tenantId, async (session) => {
          await this.#step(session, 'is sent');
          await this.#lock(session);
          await this.#step(session, 'writes its link');
          return this.#land(tenantId, link);
        }),
      locked: (tenantId, needs, lost, work) =>
        trip('locked', tenantId, async (session) => {
          await this.#step(session, 'is sent');
          await this.#lock(session);
          const { nonces } = this.tenant(tenantId);
          const isWritten = ({ expected, next }: Link) =>
            compare(nonces.get(expected.id + 1), next.nonce) === 0;
          const written = lost.find(isWritten);
          const known = { ...memory.readNow(tenantId, needs), written };
          await this.#step(session, 'has read');
          if (session.isAlone) throw new Broken('nobody waits for what was read');
          const link = work(known);
          if (!link) return undefined;
          await this.#step(session, 'writes its link');
          return this.#land(tenantId, link);
        }),
    };
  }

  /** Remembers the tenant as it is, for a standby that lacks what comes. `isFirst`: every standby has it. */
  save(tenantId: string, isFirst = false): void {
    const history = isFirst ? [] : (this.#history.get(tenantId) ?? []);
    const copy = copyOf(this.tenant(tenantId));
    history[copy.head.id] = copy;
    this.#history.set(tenantId, history);
  }

  /** A standby takes over. It lacks up to so many entries of each tenant. */
  failOver(most: (tenantId: string) => number): void {
    for (const session of this.#sessions) this.#end(session);
    for (const [tenantId, history] of this.#history) {
      const tenant = this.tenant(tenantId);
      const id = history.findIndex((copy, at) => copy && at >= tenant.head.id - most(tenantId));
      const copy = history[id];
      if (!copy || id === tenant.head.id) continue;
      history.length = id + 1;
      Object.assign(tenant, copyOf(copy));
      this.#world.lost(tenantId, id);
    }
  }

  /** A replica forgets all. What it sent may still run to its end. */
  #crash(replica: number): void {
    this.#world.crash(replica);
    for (const session of this.#sessions) {
      if (session.replica !== replica) continue;
      session.leave();
      if (this.#world.chance.is(0.5)) this.#end(session);
    }
  }

  #trip<T>(
    what: string,
    replica: number,
    tenantId: string,
    serve: (session: Session) => Promise<T>,
  ): Promise<T> {
    const { time } = this.#world;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        session.isAlone = true;
        // What nobody waits for any more can be on its way for longer.
        time.cancel(limit);
        reject(new Broken(`the ${what} has no answer`));
      };
      const session: Session = { what, replica, tenantId, isDead: false, isAlone: false, leave };
      const limit = time.in(longest, () => this.#end(session));
      this.#sessions.add(session);
      const done = async (): Promise<void> => {
        const answer = await serve(session);
        this.#unlock(session);
        await this.#step(session, 'is answered');
        resolve(answer);
      };
      void done()
        .catch(reject)
        .finally(() => this.#end(session));
    });
  }

  /** Takes the time of a step, and lets happen what the plan says. Throws when the session has ended. */
  async #step(session: Session, step: string): Promise<void> {
    const { what, replica, tenantId } = session;
    const { time, chance, trace, tenants } = this.#world;
    const tenant = tenants.findIndex(({ judge }) => judge.tenantId === tenantId);
    const lane = 4 * replica + 2 * Math.max(0, tenant) + (/append|locked/.test(what) ? 1 : 0);
    const at = this.#steps[lane] ?? 0;
    const { kind, ms } = (!this.isCalm && this.#troubles.get(`${lane} ${at}`)) || nothing;
    if (!this.isCalm) {
      this.#steps[lane] = at + 1;
      const told = kind === 'none' ? '' : `: ${kind}, ${ms} ms`;
      trace(`replica ${replica}, ${tenants[tenant]?.judge.name}, step ${at}: the ${what} ${step}${told}`);
    }
    if (kind === 'lose') this.#end(session);
    if (kind === 'late') session.leave();
    // Answers that arrive at the same moment leave before.
    if (kind === 'crash') time.in(0, () => this.#crash(replica));
    if (kind === 'failover') time.in(0, () => this.failOver(() => (ms % 2 === 0 ? 0 : chance.below(6))));
    // A minute would be too much for verifiers.
    if (kind === 'clock') this.#offset = Math.max(this.#offset - ms, -45_000);
    if (kind === 'alter') this.#alter(tenantId, ms);
    if (kind === 'refuse' && step === 'writes its link') {
      throw new LinkRefused('the database works', { cause: new Broken('and refuses the link') });
    }
    const isLong = kind === 'late' || kind === 'hang' || kind === 'crash';
    if (!session.isDead) await time.wait(isLong ? ms : chance.next() * 12);
    if (session.isDead) throw new Broken('the session has ended');
  }

  async #lock(session: Session): Promise<void> {
    const { tenantId } = session;
    while (this.#locks.has(tenantId) && !session.isDead) {
      await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    }
    if (session.isDead) throw new Broken('the session has ended');
    this.#locks.set(tenantId, session);
    this.#world.time.in(longestWithLock, () => {
      if (this.#locks.get(tenantId) === session) this.#end(session);
    });
  }

  #unlock(session: Session): void {
    if (this.#locks.get(session.tenantId) === session) this.#locks.delete(session.tenantId);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #end(session: Session): void {
    session.isDead = true;
    session.leave();
    this.#sessions.delete(session);
    this.#unlock(session);
  }

  /** Rows are altered in each standby too, but not while somebody has the lock, whose link can rest on what was read before. */
  #alter(tenantId: string, ms: number): void {
    const { chance, time } = this.#world;
    const rows = this.store.tenants.get(tenantId)?.tables.get(chance.pick(['keys', 'api_keys', 'issuers']));
    const [ref, stored] = chance.pick([...(rows ?? [])]) ?? [];
    if (!ref || !stored || this.#altered.has(stored) || this.#locks.has(tenantId)) return;
    const { row } = stored;
    Object.assign(stored, { row: { ...row, ...forged } });
    this.#altered.add(stored);
    this.#world.altered(tenantId, ref);
    time.in(ms, () => {
      Object.assign(stored, { row });
      this.#altered.delete(stored);
    });
  }

  #land(tenantId: string, link: Link): Appended {
    const { tables } = this.tenant(tenantId);
    const before = link.writes.map(({ table, row }) =>
      tables.get(table.name)?.get(refOf(table, row as never)),
    );
    const appended = this.store.appendNow(tenantId, link);
    if (appended.outcome !== 'written') return appended;
    if (before.some((stored) => stored && this.#altered.has(stored))) {
      this.#world.fault ??= new Fault('EVIDENCE: an altered row is replaced, and nobody was told');
    }
    this.save(tenantId);
    const { head } = this.tenant(tenantId);
    const stored = [...(tables.get('audit_entries')?.values() ?? [])].map(({ row }) => row as EntryRow);
    this.#world.landed(tenantId, stored.slice(link.expected.id - head.id));
    return appended;
  }
}

const copyOf = ({ head, tables, nonces }: Omit<ReturnType<Database['tenant']>, 'isFree'>) => ({
  head,
  nonces: new Map(nonces),
  tables: new Map([...tables].map(([name, rows]) => [name, new Map(rows)])),
});

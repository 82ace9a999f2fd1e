// The world of a run: two replicas of the real service, two tenants of one database, and callers whose answers are judged.
import { randomBytes } from 'node:crypto';
import * as eaas from '@eaas/service';
import { parsePublicKey, wrapForIntake } from '@eaas/protocol/intake';
import { called } from '@eaas/test-kit/called';
import { hasSigned as verify } from '../played-service.ts';
import { Callers } from './calls.ts';
import { Broken, Database } from './database.ts';
import { Fault, isAway, Judge, type Told } from './judge.ts';
import { type Call, isRead } from './model.ts';
import { chanceOf, type Plan } from './plan.ts';
import { VirtualTime } from './virtual-time.ts';
import { TimeIsOver } from '../../src/ledger/queue.ts';

/** What callers look at in an answer. */
interface Answer extends Partial<
  Record<'key_id' | 'api_key_id' | 'api_key' | 'issuer_id' | 'wrapped_key' | 'dek', string>
> {
  readonly key_version?: number;
  readonly keys?: readonly object[];
  readonly intake_public_key?: string;
  readonly errors?: readonly unknown[];
  readonly error?: { readonly code: string };
  readonly entry?: Told['receipt'];
}

/** Virtual time, or the real one. */
export interface Time extends Pick<VirtualTime, 'cancel' | 'hold' | 'wait'> {
  in(milliseconds: number, run: () => void): unknown;
}

/** The database that the world has in memory, or another. */
export interface Base extends Pick<Database, 'time' | 'isCalm' | 'storeFor' | 'save' | 'failOver'> {
  /** What nothing breaks. */
  readonly store: eaas.Store;
  add(head: eaas.HeadRow, writes: readonly eaas.SealedWrite[]): void;
}

/** In how many milliseconds whoever waits for an entry is answered. */
const patience = 5_000;
/** No call takes longer, and after so many milliseconds without troubles nothing of them is left. */
export const longest = 35_000;

export class World {
  readonly time: Time;
  readonly chance;
  readonly roots = [eaas.rootKey(randomBytes(32))] as const;
  readonly database: Base;
  readonly tenants: readonly Callers[];
  readonly replicas: eaas.Service[];
  /** Which replicas told of a loss, with the tenant and how many losses there had been. */
  readonly tellers = new Set<string>();
  readonly steps: string[] = [];
  fault: unknown;
  /** Whether nothing goes wrong, and nothing is left of what went wrong. */
  isWell = true;
  readonly #lone: number;
  readonly #lives: number[] = [0, 0];

  constructor(
    plan: Plan,
    time: Time,
    openDatabase: (world: World) => Base = (world) => new Database(world, plan),
  ) {
    this.chance = chanceOf(plan.seed);
    this.#lone = plan.lone;
    this.time = time;
    this.database = openDatabase(this);
    this.tenants = ['acme', 'bob'].map((name) => {
      const settings = { name, envelope_only: false };
      const { head, writes } = eaas.newTenant(this.roots, settings, this.database.time);
      this.database.add(head, writes);
      return new Callers(new Judge(writes[0]?.row as eaas.TenantRow, this.roots), this.chance);
    });
    this.replicas = [0, 1].map((replica) => this.#start(replica));
  }

  trace = (line: string): void => void this.steps.push(`${Math.round(performance.now())}\t${line}`);

  landed(tenantId: string, rows: readonly eaas.EntryRow[]): void {
    const { judge } = this.#callersOf(tenantId);
    for (const row of rows) this.trace(`${judge.name}: entry ${row.id} is written, ${row.action}`);
    try {
      judge.land(rows, this.database.time);
    } catch (error) {
      this.fault ??= error;
    }
  }

  altered(tenantId: string, ref: string): void {
    const { judge } = this.#callersOf(tenantId);
    judge.altered.add(ref.slice(ref.indexOf(' ') + 1));
    this.trace(`${judge.name}: somebody alters ${ref}`);
  }

  lost(tenantId: string, head: number): void {
    const callers = this.#callersOf(tenantId);
    callers.judge.lose(head);
    callers.lose();
    this.trace(`${callers.judge.name}: a standby has only ${head} entries`);
  }

  crash(replica: number): void {
    this.#lives[replica] = (this.#lives[replica] ?? 0) + 1;
    this.replicas[replica] = this.#start(replica);
  }

  /** Sends a call to a replica, waits for its answer, and judges it. Never rejects. */
  async call(tenant: Callers, call: Call, replica = this.chance.is(this.#lone) ? 0 : this.chance.below(2)) {
    const { judge } = tenant;
    const { isWell } = this;
    const sent = judge.send(call);
    const isUp = this.#untilCrash(replica);
    const line = (what: string): void =>
      this.trace(`replica ${replica}, ${judge.name}: ${call.mark} ${what}`);
    line(`asks for ${call.doing}${call.token ? '' : ` as ${call.actor}`}`);
    let due = sent.began + patience;
    /** Waits for a share of the replica, as callers of a server do. That is a part of their time. */
    const enter: eaas.Door['enter'] = (_name, _cost, then) => {
      const go = (): void => {
        due = Math.max(due, performance.now());
        then();
      };
      if (this.chance.is(0.7)) go();
      else this.time.in(this.chance.below(2_000), go);
    };
    const late = this.time.in(longest, () => {
      if (isUp()) this.fault ??= new Fault(`LIVE: ${call.mark} has no answer`);
    });
    try {
      const service = this.replicas[replica] as eaas.Service;
      const { told, results } = await ask(service, judge.tenantId, call, enter);
      // Nobody gets the answer of a replica that has crashed.
      if (!isUp()) return;
      line(
        `is told ${told.map(({ code, receipt }) => (receipt ? `${code} by entry ${receipt.id}` : code)).join()}`,
      );
      if (isWell && told.some(({ code }) => isAway(code))) {
        throw new Fault(`LIVE: ${call.mark} is refused, though all is well`);
      }
      if (this.time instanceof VirtualTime && !isRead(call.doing) && performance.now() > due) {
        throw new Fault(`LIVE: ${call.mark} is answered too late`);
      }
      judge.answer(sent, told, this.database.time);
      if (judge.epoch === sent.epoch) await this.time.hold(learn(tenant, call, results));
    } catch (error) {
      this.fault ??= error;
    } finally {
      this.time.cancel(late);
    }
  }

  plugins(): readonly eaas.Plugin[] {
    const hasSigned = async (...all: Parameters<typeof verify>): Promise<boolean> => {
      await this.time.wait(this.chance.below(5));
      return verify(...all);
    };
    const issuers = eaas.issuers({ verify: hasSigned, keyHostFault: () => 'names a host' });
    return [eaas.people(), issuers, eaas.intake()];
  }

  #callersOf(tenantId: string): Callers {
    return this.tenants.find(({ judge }) => judge.tenantId === tenantId) as Callers;
  }

  #untilCrash(replica: number): () => boolean {
    const life = this.#lives[replica];
    return () => this.#lives[replica] === life;
  }

  #start(replica: number): eaas.Service {
    const isUp = this.#untilCrash(replica);
    // A replica that has crashed tells nobody anything.
    const note = (error: unknown): void => {
      const { cause = error } = error as Error;
      const isExpected = cause instanceof Broken || error instanceof TimeIsOver;
      if (!isExpected && isUp()) this.fault ??= error;
    };
    return eaas.createService({
      store: this.database.storeFor(replica, isUp),
      roots: this.roots,
      plugins: this.plugins(),
      fair: { isOver: () => this.chance.is(0.1), pause: () => this.time.wait(this.chance.below(5)) },
      listener: {
        failed: note,
        unwritten: note,
        tampered: (table, id, tenantId) =>
          this.#callersOf(tenantId).judge.altered.has(id) || note(new Fault(`ACCUSE: ${table} ${id}`)),
        wentBack: (tenantId) => {
          const { name, epoch } = this.#callersOf(tenantId).judge;
          this.trace(`replica ${replica}, ${name}: the log went back`);
          this.tellers.add(`${replica} ${name} ${epoch}`);
          if (epoch === 0) note(new Fault(`ACCUSE: replica ${replica} tells of a loss that never was`));
        },
      },
    });
  }
}

/** Returns what the caller was told about each item, and the answers to those that succeeded. */
async function ask(
  service: eaas.Service,
  tenantId: string,
  { doing, inputs, actor, mark, token, until }: Call,
  enter: eaas.Door['enter'],
) {
  const [input = {}] = inputs;
  const route = doing as 'POST /v1/hash';
  const isJob = actor === 'system';
  const insider = eaas.insider(tenantId, isJob ? 'system' : 'operator');
  const header = () => (until === undefined ? undefined : actor);
  const arrival = { route, authorization: `Bearer ${token}`, origin: undefined, header, ipAddress: mark };
  try {
    const caller = { ...insider, ipAddress: mark };
    const part = isJob
      ? eaas.settleKey(service, caller, input as { key_id: string })
      : eaas.changeTenant(input as object);
    const isPart = isJob || doing === 'set the quota';
    const body = doing.includes('/batch/') ? { items: inputs } : input;
    const byInsider = () =>
      isPart
        ? eaas.settle<object>(service, caller, part, { isLocked: isJob })
        : eaas.run(service, caller, route, body as never);
    const done = await (token ? called(service, arrival, () => body, { enter }) : byInsider());
    const { results = [{ ...done.answer, entry: eaas.receiptIn(done.receipts) }] } = done.answer as {
      results?: Answer[];
    };
    const told = results.map((one): Told => ({ code: codeOf(one), receipt: one.entry }));
    return { told, results };
  } catch (error) {
    if (!(error instanceof eaas.Refusal)) throw error;
    const { code, receipt } = error;
    return { told: inputs.map((): Told => ({ code, receipt })), results: [] };
  }
}

const codeOf = ({ error, keys }: Answer): string => error?.code ?? (keys ? `${keys.length} keys` : 'ok');

/** What callers remember of answers, and what is wrong with them. */
async function learn(tenant: Callers, { doing, inputs, mark }: Call, results: readonly Answer[]) {
  for (const [nth, result] of results.entries()) {
    const {
      key_id = '',
      key_version = 0,
      api_key_id: id,
      api_key: token,
      issuer_id,
      wrapped_key,
      dek,
      intake_public_key: publicKey,
    } = result;
    if (result.errors?.length && tenant.judge.altered.size === 0) {
      throw new Fault(`ACCUSE: ${JSON.stringify(result.errors)}`);
    }
    if (doing === 'POST /v1/keys') tenant.keyIds.push(key_id);
    if (id && token) tenant.apiKeys.push({ id, token });
    if (doing === 'POST /v1/issuers' && issuer_id) tenant.issuerIds.push(issuer_id);
    const { dek: own, ...input } = inputs[nth] ?? {};
    if (publicKey) {
      // Somebody without credentials writes.
      const secret = randomBytes(32);
      const { wrappedKey } = await wrapForIntake(parsePublicKey(publicKey), secret);
      const [wrapped, inside] = [wrappedKey, secret].map((bytes) => Buffer.from(bytes).toString('base64'));
      tenant.judge.wrapped.set(wrapped, { version: key_version, dek: inside });
      tenant.wraps.push({ key_id, wrapped_key: wrapped });
    }
    const before = tenant.judge.wrapped.get(input['wrapped_key']);
    if (dek !== undefined && dek !== before?.dek) throw new Fault(`SECRET: ${mark} gets another data key`);
    if (!wrapped_key || doing === 'POST /v1/encrypt') continue;
    tenant.judge.wrapped.set(wrapped_key, { version: key_version, dek: own ?? before?.dek });
    tenant.wraps.push({ ...input, wrapped_key });
  }
}

// Two servers under load from some tenants, while a trial breaks something, and what must hold of them afterwards.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '@eaas/test-kit/program';
import type { Place } from '@eaas/test-kit/faults/client';
import { Load, longest, type Sent, succeeded, tally, unrecorded } from '@eaas/test-kit/faults/load';
import type { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { newKey, operate, readLog, type Replica, type Tenant, verify } from '@eaas/test-kit/faults/place';
import { startServer } from '../machine/server.ts';
import type { Findings } from '../trial.ts';

const backWithinMilliseconds = 5_000;
/** All requests of the server to the database time out within 5.2 s. */
const mostSeconds = 6;

interface Loaded {
  readonly tenant: Tenant;
  readonly keyId: string;
  readonly load: Load;
}

export class UnderLoad {
  readonly replicas: Replica[] = [];
  readonly loaded: Loaded[] = [];
  readonly #findings: Findings;
  readonly #env: Environment;
  readonly #ends: string[] = [];

  private constructor(findings: Findings, env: Environment) {
    this.#findings = findings;
    this.#env = env;
  }

  static async start(findings: Findings, url: OwnPostgres['url'], extra: Environment = {}, count = 2) {
    const operator = await operate(url);
    const tenants = await Promise.all(Array.from({ length: count }, () => operator.newTenant()));
    await operator.close();
    const bench = new UnderLoad(findings, { ...operator.env, ...extra });
    for (let nth = 0; nth < 2; nth++) bench.replicas.push(await startServer(findings, bench.#env));
    const places = bench.replicas.map(({ port }) => ({ port }));
    const [first = { port: 0 }] = places;
    for (const [nth, tenant] of tenants.entries()) {
      const keyId = await newKey(first, tenant.token);
      const options = { places, token: tenant.token, keyId, workers: 8 / count, rest: 10 };
      const load = new Load({ ...options, changes: nth === 1 });
      findings.defer(() => load.stop());
      bench.loaded.push({ tenant, keyId, load });
    }
    await sleep(1_000);
    return bench;
  }

  async restart(nth: number): Promise<void> {
    const replica = this.replicas[nth];
    if (!replica) return;
    this.#noteEnds();
    await replica.kill();
    this.replicas[nth] = await startServer(this.#findings, { ...this.#env, EAAS_PORT: String(replica.port) });
  }

  /**
   * Waits until each server has served one request of each tenant. Requests that were sent before `since` do not count.
   * Returns the milliseconds from `since` to the last of these responses, or Infinity after `patience` milliseconds.
   */
  async backAfter(since: number, patience: number, loaded = this.loaded): Promise<number> {
    const first = (load: Load, port: number): number =>
      load.sent
        .filter((sent) => sent.place.port === port && sent.sentAt > since && succeeded(sent))
        .reduce((least, { answeredAt }) => Math.min(least, answeredAt - since), Infinity);
    for (;;) {
      const waited = loaded.flatMap(({ load }) => this.replicas.map(({ port }) => first(load, port)));
      if (Math.max(...waited) < Infinity || performance.now() > since + patience) return Math.max(...waited);
      await sleep(20);
    }
  }

  async recovers(what: string, times = 1): Promise<void> {
    this.#findings.try(what, times);
    const waited = await this.backAfter(performance.now(), 2 * backWithinMilliseconds);
    this.#findings.longest(`${what} back after`, waited);
    this.#findings.check(
      `both servers serve again within ${backWithinMilliseconds} ms`,
      waited < backWithinMilliseconds,
      `${what}: ${Math.round(waited)} ms`,
    );
    await sleep(1_500);
    this.checkNoRefusal('every request succeeds once both serve', performance.now() - 1_000, `${what}: `);
  }

  /** Waits two seconds, in which something keeps the first tenant from writing, and both servers must serve the others. */
  async servesOthers(what: string): Promise<void> {
    const since = performance.now();
    await sleep(2_000);
    const [first, others] = [this.loaded.slice(0, 1), this.loaded.slice(1)];
    const back = await this.backAfter(since + 1_000, 1_000, others);
    const slowest = Math.max(back, longest(sentSince(others, since)));
    this.#findings.longest(`${what}, longest of others`, slowest);
    this.#findings.check('meanwhile no other tenant waits 1 s', slowest < 1_000, `${what}: ${slowest} ms`);
    this.checkNoRefusal('meanwhile no other tenant is refused', since, `${what}: `, others);
    this.#findings.check(
      'meanwhile that tenant is not served',
      !sentSince(first, since).some(succeeded),
      what,
    );
  }

  checkNoRefusal(invariant: string, since: number, prefix = '', loaded = this.loaded): void {
    const sent = sentSince(loaded, since);
    const isServed = sent.length > 0 && sent.every(succeeded);
    this.#findings.check(invariant, isServed, `${prefix}${JSON.stringify(tally(sent))}`);
  }

  async judge(): Promise<void> {
    const findings = this.#findings;
    this.#noteEnds();
    findings.check('no server process ends unexpectedly', this.#ends.length === 0, this.#ends);
    const reader = await startServer(findings, this.#env);
    await Promise.all(this.loaded.map(({ load }) => load.stop()));
    for (const { tenant, load } of this.loaded) {
      const sent = await load.stop();
      const slowest = Math.round(longest(sent));
      findings.check(
        `no request takes over ${mostSeconds} s`,
        slowest < mostSeconds * 1_000,
        `${slowest} ms`,
      );
      const kinds = Object.keys(tally(sent.filter(({ status }) => status !== 0)));
      const allowed = new Set(['200', '201', '500 audit_unwritten', '503 unavailable']);
      const others = kinds.filter((kind) => !allowed.has(kind));
      findings.check('every error is 503 unavailable or 500 audit_unwritten', others.length === 0, others);
      await judgeLog(findings, reader, tenant, sent);
    }
  }

  #noteEnds(): void {
    for (const replica of this.replicas) {
      const end = replica.end();
      if (end) this.#ends.push(`${JSON.stringify(end)} ${replica.log().slice(-200)}`);
    }
  }
}

const sentSince = (loaded: readonly Loaded[], since: number): Sent[] =>
  loaded.flatMap(({ load }) => load.sent.filter(({ sentAt }) => sentAt > since));

/** Whether the log of a tenant is whole, and has what each successful request must have written. */
export async function judgeLog(
  findings: Findings,
  reader: Place,
  tenant: Tenant,
  sent: readonly Sent[],
): Promise<void> {
  findings.answer(tally(sent));
  const log = await readLog(reader, tenant);
  const missing = unrecorded(sent, log);
  findings.lose(missing.length);
  findings.check('the audit log has every successful request', missing.length === 0, missing.slice(0, 5));
  const numbered = log.filter(({ metadata }) => metadata.context?.['n']);
  const distinct = new Set(numbered.map(({ action, metadata }) => `${action} ${metadata.context?.['n']}`));
  findings.check('no request is in the log twice', distinct.size === numbered.length);
  findings.check('the ids of audit entries have no gap', !log.some(({ id }, index) => id !== index + 1));
  const { valid, errors } = await verify(reader, tenant);
  findings.check('the audit chain is valid', valid === true, errors);
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '@eaas/test-kit/program';
import type { Place } from '@eaas/test-kit/faults/client';
import { Load, longest, type Sent, succeeded, tally } from '@eaas/test-kit/faults/load';
import { newKey, operate, type Operator, type Tenant } from '@eaas/test-kit/faults/place';
import type { Replica } from '@eaas/test-kit/faults/place';
import { judgeLog } from '../judge-log.ts';
import type { Cluster } from '../machine/cluster.ts';
import { startServer } from '../machine/server.ts';
import type { Findings } from '../trial.ts';
import { Erasures } from './erasures.ts';

interface Loaded {
  readonly tenant: Tenant;
  readonly keyId: string;
  readonly load: Load;
  readonly erasures: Erasures;
}

interface Base {
  readonly url: (role: 'server' | 'owner') => string;
}

export class UnderLoad<B extends Base = Cluster> {
  readonly cluster: B;
  readonly replicas: Replica[] = [];
  readonly loaded: Loaded[] = [];
  readonly #findings: Findings;
  readonly #env: Environment;
  readonly #ends: string[] = [];

  private constructor(findings: Findings, cluster: B, env: Environment) {
    this.cluster = cluster;
    this.#findings = findings;
    this.#env = env;
  }

  static async start<B extends Base>(
    findings: Findings,
    cluster: B,
    extra: Environment | ((operator: Operator) => Promise<Environment>) = {},
  ): Promise<UnderLoad<B>> {
    const operator = await operate(cluster.url);
    const tenants = [await operator.newTenant(), await operator.newTenant()];
    const env = { ...operator.env, ...(typeof extra === 'function' ? await extra(operator) : extra) };
    await operator.close();
    const bench = new UnderLoad(findings, cluster, env);
    for (let nth = 0; nth < 2; nth++) bench.replicas.push(await startServer(findings, env));
    const places = bench.replicas.map(({ port }) => ({ port }));
    for (const [nth, tenant] of tenants.entries()) {
      const keyId = await newKey(bench.place(0), tenant.token);
      const erasures = await Erasures.start(findings, { token: tenant.token, keyId, places });
      const load = new Load({ places, token: tenant.token, keyId, workers: 4, rest: 10, changes: nth === 1 });
      findings.defer(() => load.stop());
      bench.loaded.push({ tenant, keyId, load, erasures });
    }
    await sleep(1_000);
    return bench;
  }

  place(nth: number): Place {
    return this.replicas[nth] ?? { port: 0 };
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
  async backAfter(since: number, patience: number): Promise<number> {
    const first = (load: Load, port: number): number =>
      load.sent
        .filter((sent) => sent.place.port === port && sent.sentAt > since && succeeded(sent))
        .reduce((least, { answeredAt }) => Math.min(least, answeredAt - since), Infinity);
    for (;;) {
      const waited = this.loaded.flatMap(({ load }) => this.replicas.map(({ port }) => first(load, port)));
      if (Math.max(...waited) < Infinity || performance.now() > since + patience) return Math.max(...waited);
      await sleep(20);
    }
  }

  longestOutage(from: number, until: number): number {
    const outages = this.loaded.flatMap(({ load }) =>
      this.replicas.map(({ port }) => {
        const times = load.sent
          .filter((sent) => sent.place.port === port && sent.answeredAt > from && succeeded(sent))
          .map(({ answeredAt }) => answeredAt);
        return [...times, until].reduce(
          ({ last, most }, time) => ({ last: time, most: Math.max(most, time - last) }),
          { last: from, most: 0 },
        ).most;
      }),
    );
    return Math.max(...outages);
  }

  between(from: number, until: number): Sent[] {
    return this.loaded.flatMap(({ load }) =>
      load.sent.filter(({ sentAt, answeredAt }) => sentAt > from && answeredAt < until),
    );
  }

  checkNoRefusal(invariant: string, since: number, prefix = ''): void {
    const sent = this.between(since, performance.now());
    const isServed = sent.length > 0 && sent.every(succeeded);
    this.#findings.check(invariant, isServed, `${prefix}${JSON.stringify(tally(sent))}`);
  }

  async judge(mostSeconds = 6): Promise<void> {
    const findings = this.#findings;
    this.#noteEnds();
    findings.check('no server process ends unexpectedly', this.#ends.length === 0, this.#ends);
    const reader = await startServer(findings, this.#env);
    await Promise.all(this.loaded.map(({ load }) => load.stop()));
    for (const { tenant, load, erasures } of this.loaded) {
      await erasures.judge(findings, [reader, ...this.replicas]);
      const sent = await load.stop();
      const slowest = Math.round(longest(sent));
      findings.check(
        `no request takes longer than ${mostSeconds} s`,
        slowest < mostSeconds * 1_000,
        `${slowest} ms`,
      );
      const kinds = Object.keys(tally(sent.filter(({ status }) => status !== 0)));
      const allowed = new Set(['200', '201', '500 audit_unwritten', '503 unavailable']);
      const others = kinds.filter((kind) => !allowed.has(kind));
      findings.check(
        'every error response is 503 unavailable or 500 audit_unwritten',
        others.length === 0,
        others.length > 0 ? [...others, ...this.#logged('request failed').slice(0, 3)] : others,
      );
      await judgeLog(findings, reader, tenant, sent);
    }
  }

  #logged(message: string): string[] {
    return this.replicas.flatMap(({ log }) =>
      log()
        .split('\n')
        .filter((line) => line.includes(message)),
    );
  }

  #noteEnds(): void {
    for (const replica of this.replicas) {
      const end = replica.end();
      if (end) this.#ends.push(`${JSON.stringify(end)} ${replica.log().slice(-200)}`);
    }
  }
}

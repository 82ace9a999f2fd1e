import { setTimeout as sleep } from 'node:timers/promises';
import { EaasClient } from '@eaas/sdk';
import type { Place } from '@eaas/test-kit/faults/client';
import { eaas, type Environment } from '@eaas/test-kit/program';
import { Load, longest, succeeded, tally } from '@eaas/test-kit/faults/load';
import { type Entry, newKey, type Replica, startReplica, type Tenant } from '@eaas/test-kit/faults/place';
import { judgeLog } from '../../judge-log.ts';
import { anywhere, Balancer, isRepeatable, mostRetries } from '../../machine/balancer.ts';
import type { Cluster } from '../../machine/cluster.ts';
import { ConnectionWatch } from '../../machine/connections.ts';
import { repeat } from '../../machine/repeat.ts';
import { type Findings, scaled } from '../../trial.ts';

export const serverCount = Math.max(3, scaled(8));

interface Client {
  readonly tenant: Tenant;
  readonly keyId: string;
  readonly load: Load;
}

interface Start {
  readonly env: Environment;
  readonly tenants: readonly Tenant[];
  readonly program?: readonly string[];
  /** The number of tenants that send their requests to all servers in turn. */
  readonly inTurn: number;
}

export class Servers {
  readonly balancer: Balancer;
  readonly connections: ConnectionWatch;
  readonly clients: Client[] = [];
  readonly #findings: Findings;
  readonly #env: Environment;
  readonly #running: (Replica | undefined)[];
  readonly #sdkErrors: string[] = [];
  #sdkCalls = 0;
  #stopSdk = async (): Promise<void> => {};

  private constructor(findings: Findings, cluster: Cluster, env: Environment, running: readonly Replica[]) {
    this.#findings = findings;
    this.#env = env;
    this.#running = [...running];
    this.balancer = new Balancer(
      findings,
      running.map(({ port }) => port),
    );
    this.connections = new ConnectionWatch(findings, cluster);
  }

  static async start(findings: Findings, cluster: Cluster, start: Start): Promise<Servers> {
    const { env, tenants, program = eaas, inTurn } = start;
    const startedAt = performance.now();
    const starting = Array.from({ length: serverCount }, () => startReplica(env, program));
    for (const one of starting) findings.defer(async () => (await one).kill());
    const running = await Promise.all(starting);
    findings.try('server started', serverCount);
    findings.figure('started in', `${Math.round(performance.now() - startedAt)} ms`);
    const servers = new Servers(findings, cluster, env, running);
    for (const [nth, tenant] of tenants.entries()) {
      const home = nth < inTurn ? undefined : nth;
      const send = servers.balancer.sender(home);
      const keyId = await newKeyAt(running[nth % serverCount] ?? anywhere, tenant.token);
      const options = { token: tenant.token, keyId, workers: 2, rest: 300, changes: nth === 0 };
      const load = new Load({ places: [anywhere], send, ...options });
      findings.defer(() => load.stop());
      servers.clients.push({ tenant, keyId, load });
    }
    servers.#useSdk();
    await sleep(2_000);
    return servers;
  }

  get ports(): readonly number[] {
    return this.balancer.ports;
  }

  async stop(nth: number): Promise<void> {
    const replica = this.#running[nth];
    if (!replica) throw new Error(`the server ${nth} is not running`);
    const toldAt = performance.now();
    replica.signal('SIGTERM');
    const { code, signal } = await replica.ended;
    this.#running[nth] = undefined;
    this.#findings.try('server stopped');
    this.#findings.longest('slowest stop', performance.now() - toldAt);
    this.#findings.check(
      'a stopped server exits with code 0',
      code === 0,
      `${code ?? signal} ${replica.log().slice(-200)}`,
    );
  }

  async startAgain(nth: number, program = eaas): Promise<void> {
    const port = this.ports[nth] ?? 0;
    const replica = await startReplica({ ...this.#env, EAAS_PORT: String(port) }, program);
    this.#findings.defer(replica.kill);
    this.#running[nth] = replica;
    while ((await this.balancer.check(port)).status !== 200) await sleep(50);
  }

  async restart(nth: number, program = eaas): Promise<void> {
    await this.stop(nth);
    await this.startAgain(nth, program);
    this.#findings.try('server restarted');
  }

  async judge({ isCalm = true } = {}): Promise<void> {
    const findings = this.#findings;
    await this.#stopSdk();
    const ended = this.#running.flatMap((replica) => replica?.end() ?? []);
    findings.check('no server process ends unexpectedly', ended.length === 0, ended);
    for (const [count, requests] of this.balancer.retries)
      findings.figure(`requests with ${count} retries`, requests);
    findings.figure('requests cut by a stop', this.balancer.cut.size);
    if (this.#sdkCalls > 0) {
      findings.try('call of the SDK', this.#sdkCalls);
      if (isCalm)
        findings.check('clients of the SDK see no error', this.#sdkErrors.length === 0, this.#sdkErrors);
    }
    const reader = this.#running.find((replica) => replica !== undefined) ?? anywhere;
    // No log may grow while the trial reads it.
    await Promise.all(this.clients.map(({ load }) => load.stop()));
    for (const client of this.clients) await this.#judgeClient(reader, client, isCalm);
  }

  async #judgeClient(reader: { port: number }, { tenant, load }: Client, isCalm: boolean): Promise<void> {
    const findings = this.#findings;
    const sent = await load.stop();
    findings.longest('slowest answer', longest(sent));
    const log = await judgeLog(findings, reader, tenant, sent);
    if (!isCalm) return;
    const failed = sent.filter((one) => isRepeatable(one) && !succeeded(one));
    findings.check('clients that repeat a request see no error', failed.length === 0, tally(failed));
    const twice = [...this.balancer.cut].filter((number) => hasTwice(log, number));
    findings.check(
      'a request that was repeated after a stop cut its connection has one audit entry',
      twice.length === 0,
      twice,
    );
  }

  #useSdk(): void {
    const [first] = this.clients;
    if (!first) return;
    const { keyId, tenant } = first;
    const client = new EaasClient({
      baseUrl: 'http://127.0.0.1:1',
      apiKey: tenant.token,
      keyId,
      fetch: this.balancer.fetch,
      retries: mostRetries,
      cache: { encrypt: { maxMessages: 1 }, decrypt: false },
    });
    const work = async (): Promise<void> => {
      try {
        this.#sdkCalls += 2;
        const text = await client.decrypt(await client.encrypt('kept'), { as: 'text' });
        if (text !== 'kept') this.#sdkErrors.push(`decrypted ${text}`);
      } catch (error) {
        this.#sdkErrors.push(String(error));
      }
    };
    const ends = [repeat(20, work), repeat(20, work)];
    this.#stopSdk = async () => {
      await Promise.all(ends.map((end) => end()));
    };
    this.#findings.defer(this.#stopSdk);
  }
}

function hasTwice(log: readonly Entry[], number: string): boolean {
  const actions = log
    .filter(({ metadata }) => metadata.context?.['n'] === number)
    .map(({ action }) => action);
  return new Set(actions).size < actions.length;
}

/**
 * Repeats a failed call. A call can fail on a busy machine, and the client itself does not repeat calls that create
 * something.
 */
export async function newKeyAt(place: Place, token: string): Promise<string> {
  for (let attempt = 1; attempt < 5; attempt++) {
    try {
      return await newKey(place, token);
    } catch {
      await sleep(500);
    }
  }
  return newKey(place, token);
}

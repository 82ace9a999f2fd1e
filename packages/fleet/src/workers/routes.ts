import { LRUCache } from 'lru-cache';

const mostNames = 100_000;
const mostStrangers = 10_000;

/** Maps the names that were used last to workers. A name is the id of a tenant or the hash of an API key. */
class Assignments {
  readonly #workerOf: LRUCache<string, number>;
  readonly #counts = new Map<number, number>();

  constructor(most: number) {
    const dispose = (worker: number) => this.#counts.set(worker, this.count(worker) - 1);
    this.#workerOf = new LRUCache({ max: most, dispose });
  }

  count(worker: number): number {
    return this.#counts.get(worker) ?? 0;
  }

  get(name: string): number | undefined {
    return this.#workerOf.get(name);
  }

  set(name: string, worker: number): void {
    this.delete(name);
    this.#workerOf.set(name, worker);
    this.#counts.set(worker, this.count(worker) + 1);
  }

  delete(name: string): void {
    this.#workerOf.delete(name);
  }

  forget(worker: number): void {
    for (const name of this.#namesOf(worker)) this.delete(name);
  }

  /**
   * Gives a new worker its equal part of the names (ids of tenants and hashes of API keys). Takes these names from
   * each worker that has more names than the average.
   */
  fill(worker: number, workers: ReadonlySet<number>): { readonly name: string; readonly from: number }[] {
    const part = Math.floor(this.#workerOf.size / workers.size);
    const moved: { name: string; from: number }[] = [];
    for (const from of workers) {
      const surplus = Math.min(this.count(from), this.count(from) - part, part - this.count(worker));
      if (from === worker || surplus <= 0) continue;
      for (const name of this.#namesOf(from).slice(0, surplus)) {
        this.set(name, worker);
        moved.push({ name, from });
      }
    }
    return moved;
  }

  #namesOf(worker: number): string[] {
    const oldestFirst = [...this.#workerOf.rkeys()];
    return oldestFirst.filter((name) => this.#workerOf.peek(name) === worker);
  }
}

export interface Choice {
  readonly worker: number;
  readonly isKnown: boolean;
}

/** A wrong choice only costs time, because every worker can serve every tenant. */
export class Routes {
  readonly #running = new Set<number>();
  readonly #tenantOf = new LRUCache<string, string>({ max: mostNames });
  readonly #tenants = new Assignments(mostNames);
  /** Unknown API keys have a cache of their own, so that a flood of them cannot push known tenants out of the cache. */
  readonly #strangers = new Assignments(mostStrangers);
  #turn = 0;

  get running(): number[] {
    return Array.from(this.#running);
  }

  add(worker: number): { readonly name: string; readonly from: number }[] {
    this.#running.add(worker);
    return this.#tenants.fill(worker, this.#running);
  }

  remove(worker: number): void {
    this.#running.delete(worker);
    this.#tenants.forget(worker);
    this.#strangers.forget(worker);
  }

  choose(token: string | undefined): Choice | undefined {
    if (this.#running.size === 0) return undefined;
    if (token === undefined) {
      const workers = this.running;
      return { worker: workers[this.#turn++ % workers.length] ?? 0, isKnown: true };
    }
    const tenantId = this.#tenantOf.get(token);
    return tenantId === undefined
      ? { worker: this.#assigned(this.#strangers, token), isKnown: false }
      : { worker: this.#assigned(this.#tenants, tenantId), isKnown: true };
  }

  learn(token: string, tenantId: string, worker: number): number {
    this.#strangers.delete(token);
    this.#tenantOf.set(token, tenantId);
    const known = this.#tenants.get(tenantId);
    if (known !== undefined || !this.#running.has(worker)) return known ?? worker;
    this.#tenants.set(tenantId, worker);
    return worker;
  }

  #assigned(assignments: Assignments, name: string): number {
    const known = assignments.get(name);
    if (known !== undefined) return known;
    const load = (worker: number): number => this.#tenants.count(worker) + this.#strangers.count(worker);
    const [first = 0, ...others] = this.#running;
    const worker = others.reduce((least, each) => (load(each) < load(least) ? each : least), first);
    assignments.set(name, worker);
    return worker;
  }
}

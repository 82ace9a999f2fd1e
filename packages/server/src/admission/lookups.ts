import { busy } from './shares.ts';

interface Waiter<Value> {
  readonly key: string;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (value: Value | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const patience = 2_000;

/**
 * Looks keys up together: runs one query at a time, for up to `most` of the keys that wait when it begins. Thousands of
 * keys that do not exist therefore delay the others by a few queries only.
 */
export class Lookups<Value> {
  readonly #look: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>;
  readonly #most: number;
  readonly #waiting = new Set<Waiter<Value>>();
  #held = 0;
  #refused = 0;

  constructor(look: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>, most: number) {
    this.#look = look;
    this.#most = most;
  }

  get counts(): { readonly held: number; readonly waiting: number; readonly refused: number } {
    return { held: this.#held, waiting: this.#waiting.size, refused: this.#refused };
  }

  find(key: string): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(waiter);
        this.#refused++;
        reject(busy());
      }, patience);
      const waiter = { key, timer, resolve, reject };
      this.#waiting.add(waiter);
      if (this.#held === 0) void this.#lookUpAll();
    });
  }

  async #lookUpAll(): Promise<void> {
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) {
      try {
        const found = await this.#look(batch.map(({ key }) => key));
        for (const { key, resolve } of batch) resolve(found.get(key));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
  }

  #take(): Waiter<Value>[] {
    const batch: Waiter<Value>[] = [];
    for (const waiter of this.#waiting) {
      if (batch.length === this.#most) break;
      clearTimeout(waiter.timer);
      this.#waiting.delete(waiter);
      batch.push(waiter);
    }
    this.#held = batch.length;
    return batch;
  }
}

import { type Waiter, WaitingRoom } from '../base/waiting-room.ts';
import { busy } from './shares.ts';
import { timeLimit } from '../base/time-limit.ts';

const patience = 2_000;

/**
 * Looks keys up together: runs one query at a time, for up to `most` of the keys that wait when it begins. Thousands of
 * keys that do not exist therefore delay the others by a few queries only.
 */
export class Lookups<Value> {
  readonly #look: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>;
  readonly #most: number;
  readonly #room = new WaitingRoom<string, Value | undefined>();
  #held = 0;
  #refused = 0;

  constructor(look: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>, most: number) {
    this.#look = look;
    this.#most = most;
  }

  get counts(): { readonly held: number; readonly waiting: number; readonly refused: number } {
    return { held: this.#held, waiting: this.#room.size, refused: this.#refused };
  }

  find(key: string): Promise<Value | undefined> {
    const giveUp = () => {
      this.#refused++;
      return busy();
    };
    const found = this.#room.wait(key, { milliseconds: timeLimit(patience), giveUp });
    if (this.#held === 0) void this.#lookUpAll();
    return found;
  }

  async #lookUpAll(): Promise<void> {
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) {
      try {
        const found = await this.#look(batch.map(({ wish }) => wish));
        for (const waiter of batch) waiter.settle(found.get(waiter.wish));
      } catch (error) {
        for (const waiter of batch) waiter.fail(error);
      }
    }
  }

  #take(): Waiter<string, Value | undefined>[] {
    let count = 0;
    const batch = this.#room.take(() => count++ < this.#most);
    for (const waiter of batch) waiter.becomePatient();
    this.#held = batch.length;
    return batch;
  }
}

import { Refusal } from './refusal.ts';

/** Lets so many pieces of work run at a time; the next wait for their turn, and are refused when it does not come. */
export class Slots {
  #free: number;
  readonly #patience: number;
  readonly #waiting = new Set<() => void>();

  constructor(slots: number, patience: number) {
    this.#free = slots;
    this.#patience = patience;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.#take();
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next) next();
      else this.#free++;
    }
  }

  async #take(): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const turn = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(turn);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(turn);
        reject(
          new Refusal('unavailable', 'The service is busy with the same for others; try again in a moment.'),
        );
      }, this.#patience);
      this.#waiting.add(turn);
    });
  }
}

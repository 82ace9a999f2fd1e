// How anybody waits in the server, for units, a connection, a lookup or an append: in the one waiting room, until they get
// it, their time is over, or their call has ended.

/** Somebody who waits, with what they wait for. */
export interface Waiter<Wish, Result> {
  readonly wish: Wish;
  /** Whether the waiter has a result, an error, or has given up. */
  readonly isGone: boolean;
  /** From now on only a result or an error ends the wait. */
  becomePatient(): void;
  settle(result: Result): void;
  fail(error: unknown): void;
}

interface Patience {
  readonly milliseconds: number;
  readonly signal?: EndSignal | undefined;
  /** Called when the waiter gives up, because the time is over or the call has ended. Returns the error. */
  readonly giveUp: () => unknown;
  /** Called after the waiter has left, for whatever reason. */
  readonly afterwards?: (hasGivenUp: boolean) => void;
}

/** Waiters in the order of their arrival. Each leaves with a result, with an error, or when its patience ends. */
export class WaitingRoom<Wish = undefined, Result = void> {
  #line = new Set<Waiter<Wish, Result>>();

  get size(): number {
    return this.#line.size;
  }

  /** The waiter that has waited longest. */
  get first(): Waiter<Wish, Result> | undefined {
    const [first] = this.#line;
    return first;
  }

  /** Waits for a result. */
  wait(wish: Wish, { milliseconds, signal, giveUp, afterwards }: Patience): Promise<Result> {
    return new Promise((resolve, reject) => {
      const go = (end: () => void, hasGivenUp = false): void => {
        if (waiter.isGone) return;
        waiter.isGone = true;
        waiter.becomePatient();
        this.#line.delete(waiter);
        end();
        afterwards?.(hasGivenUp);
      };
      const abandon = (): void => go(() => reject(giveUp()), true);
      const timer = setTimeout(abandon, milliseconds);
      const waiter = {
        wish,
        isGone: false,
        becomePatient: () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', abandon);
        },
        settle: (result: Result) => go(() => resolve(result)),
        fail: (error: unknown) => go(() => reject(error)),
      };
      signal?.addEventListener('abort', abandon);
      this.#line.add(waiter);
    });
  }

  /** Takes waiters out of the line, from the first on, as long as `takes` returns true. Their patience still ends. */
  take(takes: (wish: Wish) => boolean): Waiter<Wish, Result>[] {
    const taken: Waiter<Wish, Result>[] = [];
    for (const waiter of this.#line) {
      if (!takes(waiter.wish)) break;
      taken.push(waiter);
      this.#line.delete(waiter);
    }
    return taken;
  }

  /** Puts waiters back to the front of the line, without those that have gone. */
  putBack(waiters: readonly Waiter<Wish, Result>[]): void {
    this.#line = new Set([...waiters.filter((waiter) => !waiter.isGone), ...this.#line]);
  }
}

export interface EndSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * Tells its listeners when a call of the API has ended. An AbortController could do the same, but would take 5 % of the
 * CPU time of a wrap.
 */
export class CallEnd implements EndSignal {
  readonly #listeners = new Set<() => void>();
  #hasEnded = false;

  get aborted(): boolean {
    return this.#hasEnded;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  end(): void {
    this.#hasEnded = true;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }
}

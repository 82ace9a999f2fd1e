import type { Health } from '@eaas/server/internal';
import type { Answer, Question } from './messages.ts';

/**
 * Time limits in milliseconds. The main process waits `ofMain` for a worker, whose health check takes up to 3 s. A
 * worker waits `ofWorker` for the main process. `ofWorker` is longer, because one of the workers can hang while the main
 * process asks them all, and a question about metrics can have to wait until an earlier one is answered.
 */
export const patience = { ofMain: 4_000, ofWorker: 10_000 } as const;

export class Questions {
  readonly #waiting = new Map<number, (answer?: Answer) => void>();
  readonly #patience: number;
  #last = 0;

  constructor(patience: number) {
    this.#patience = patience;
  }

  ask(question: Question, send: (message: { type: 'ask'; id: number; question: Question }) => void) {
    const id = ++this.#last;
    return new Promise<Answer | undefined>((resolve) => {
      const settle = (answer?: Answer): void => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(answer);
      };
      const timer = setTimeout(settle, this.#patience);
      this.#waiting.set(id, settle);
      send({ type: 'ask', id, question });
    });
  }

  settle(id: number, answer: Answer | undefined): void {
    this.#waiting.get(id)?.(answer);
  }

  giveUp(): void {
    for (const settle of this.#waiting.values()) settle();
  }
}

export const isHealth = (answer: Answer | undefined): answer is Health => typeof answer === 'object';

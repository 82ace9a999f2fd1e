import type { Health } from '../http/health.ts';
import type { Answer, Question } from './messages.ts';

/** The health check of a worker takes up to 3 s. */
const patience = 4_000;

export class Questions {
  readonly #waiting = new Map<number, (answer?: Answer) => void>();
  #last = 0;

  ask(question: Question, send: (message: { type: 'ask'; id: number; question: Question }) => void) {
    const id = ++this.#last;
    return new Promise<Answer | undefined>((resolve) => {
      const settle = (answer?: Answer): void => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(answer);
      };
      const timer = setTimeout(settle, patience);
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

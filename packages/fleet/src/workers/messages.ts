// What the main process and its workers tell each other, and questions that wait for an answer.
import type { Connection, Health, Measured } from '@eaas/server/internal';

export interface Start {
  readonly worker: number;
  readonly workers: number;
  readonly port: number;
  readonly connection: Connection;
  readonly rootKeys: readonly Uint8Array[];
  /** The keys that encrypt TLS session tickets. With the same keys, a client can resume its session in any worker. */
  readonly ticketKeys: Uint8Array;
}

export interface Arrived {
  /** The bytes that the main process has already read from the connection. */
  readonly bytes: Uint8Array;
  /** The SHA-256 hash of the API key, in hexadecimal. */
  readonly token: string | undefined;
  readonly isKnown: boolean;
}

export interface Seen {
  readonly token: string;
  readonly tenantId: string;
}

/** A worker asks the main process for the text of all workers, and the main process a worker for what it measured. */
export type Question = 'health' | 'metrics';
export type Answer = Health | Measured | string;

interface Asked {
  readonly id: number;
  readonly question: Question;
}

interface Answered {
  readonly id: number;
  readonly answer: Answer | undefined;
}

export type ToWorker =
  | ({ readonly type: 'start' } & Start)
  | ({ readonly type: 'connection' } & Arrived)
  | ({ readonly type: 'ask' } & Asked)
  | ({ readonly type: 'answer' } & Answered)
  | { readonly type: 'leave'; readonly tenantId: string }
  | { readonly type: 'stop' };

export type ToMain =
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly message: string }
  /** The worker has received the connection that the main process sent to this worker most recently. */
  | { readonly type: 'taken' }
  | ({ readonly type: 'seen' } & Seen)
  | ({ readonly type: 'ask' } & Asked)
  | ({ readonly type: 'answer' } & Answered);

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

export const isHealth = (answer: Answer | undefined): answer is Health =>
  typeof answer === 'object' && 'ready' in answer;

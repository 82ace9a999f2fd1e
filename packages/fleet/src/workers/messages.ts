import type { Connection, Health } from '@eaas/server/internal';

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

export type Question = 'health' | 'metrics';
export type Answer = Health | string;

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

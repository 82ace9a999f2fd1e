// What an app can observe of its client: events, log lines and spans, none of which holds a secret.
import type { Receipt, Route } from '@eaas/protocol/wire';
import type { SdkError } from './errors.ts';

/** Describes an action of the client, for metrics and logs. No event contains a secret. */
export type EaasEvent =
  /** A call has ended. */
  | {
      readonly type: 'call';
      readonly route: Route;
      readonly milliseconds: number;
      /** The number of requests for the call. More than one if the client retried the call. */
      readonly attempts: number;
      /** The code of the call's error. Absent if the call succeeded. */
      readonly code?: SdkError['code'];
      readonly requestId?: string | undefined;
      /** The audit entry that a single call wrote, also about its refusal. Users of an issuer and pages behind a proxy get none. */
      readonly entry?: Receipt;
      /** The audit entries that the items of a batch wrote, in their order. */
      readonly entries?: readonly Receipt[];
    }
  /** The client has a new data key for encryption. */
  | {
      readonly type: 'data_key.minted';
      readonly keyId: string;
      readonly keyVersion: number;
      /** The id of the half that is mixed into the data key. Absent without a half. */
      readonly half?: string;
    }
  /** The service has unwrapped a data key. */
  | { readonly type: 'data_key.unwrapped'; readonly keyId: string; readonly keyVersion: number }
  /**
   * The request for the next data key failed. The client continues with the current data key until this data key
   * reaches one of its limits.
   */
  | { readonly type: 'data_key.refresh_failed'; readonly keyId: string; readonly code: string }
  /**
   * The platform has no `crypto.subtle`, so the client encrypts with the JavaScript library `noble`. Emitted once, when
   * the client is created.
   */
  | { readonly type: 'engine.fallback'; readonly code: 'no_webcrypto'; readonly engine: 'noble' }
  /**
   * A value was encrypted without a context, so whoever can write to your database can move it to another row, unnoticed.
   * Emitted once. Pass `context: {}` if a value has none.
   */
  | { readonly type: 'context.missing' }
  /**
   * A column that the app did not encrypt holds a ciphertext, or a text that looks like one. The row was returned
   * unchanged. Either a query read an encrypted column under another name, or a user typed the text. Emitted once for
   * each column. `table` and `column` are undefined if the result does not name them.
   */
  | {
      readonly type: 'unexpected_ciphertext';
      readonly table: string | undefined;
      readonly column: string | undefined;
    };

/** The members of an event that name audit entries. */
export type Receipts = Pick<Extract<EaasEvent, { readonly type: 'call' }>, 'entry' | 'entries'>;

/** A part of the client's work that can have a span. It names no value, credential, context or person. */
interface Step<T> {
  readonly name: string;
  /** The key whose data key is not in memory. */
  readonly keyId?: string;
  /** One request over the network, and how many came before it for the same call. */
  readonly request?: { readonly url: string; readonly retries: number };
  /** Tells the status of the response to a request. */
  readonly work: (answered: (status: number) => void) => Promise<T>;
}

/** Does the work of a step within a span. `@eaas/sdk/tracing` makes it of a tracer. */
export type Tracing = <T>(step: Step<T>) => Promise<T>;

export const untraced: Tracing = ({ work }) => work(() => undefined);

export interface Observers {
  /** Called with every event. */
  readonly onEvent?: ((event: EaasEvent) => void) | undefined;
  /**
   * Logs each event as one line, for example to `console`. Failures, unexpected ciphertexts and a missing context are logged
   * as warnings, and all other events as debug lines.
   */
  readonly logger?: Pick<Console, 'debug' | 'warn'> | undefined;
  /** Gives calls, their attempts and cache misses a span each: what `tracingWith` of `@eaas/sdk/tracing` returns. */
  readonly tracing?: Tracing | undefined;
}

export type Emit = (event: EaasEvent) => void;

export function createEmit({ onEvent, logger }: Observers): Emit {
  return (event) => {
    notify(onEvent, event);
    const isWarning = 'code' in event || /^(?:unexpected_ciphertext|context\.missing)$/.test(event.type);
    notify(() => logger?.[isWarning ? 'warn' : 'debug'](`eaas ${event.type}`, event), event);
  };
}

/**
 * Calls a listener of the app with an event. Ignores errors of the listener: otherwise an error would fail the call, or
 * end the process as an unhandled rejection.
 */
export function notify<T>(listener: ((event: T) => unknown) | undefined, event: T): void {
  (async () => listener?.(event))().catch(() => undefined);
}

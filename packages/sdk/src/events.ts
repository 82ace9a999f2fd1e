import type { Route } from '@eaas/protocol/wire';
import type { SdkError } from './errors.ts';

/** What the client did, for metrics and logs. Nothing in it is secret. */
export type EaasEvent =
  | {
      readonly type: 'call';
      readonly route: Route;
      readonly milliseconds: number;
      /** How often it was sent: more than once when it was retried. */
      readonly attempts: number;
      /** Absent when it succeeded. */
      readonly code?: SdkError['code'];
      readonly requestId?: string | undefined;
    }
  | { readonly type: 'data_key.minted'; readonly keyId: string; readonly keyVersion: number }
  | { readonly type: 'data_key.unwrapped'; readonly keyId: string; readonly keyVersion: number }
  /** The next data key could not be made ahead of time; the present one serves on while it may. */
  | { readonly type: 'data_key.refresh_failed'; readonly keyId: string; readonly code: string };

/** Who is told what the client did. */
export interface Observers {
  /** Hears of all that the client did. */
  readonly onEvent?: ((event: EaasEvent) => void) | undefined;
  /** Gets each event as one line: `console` will do. Failures are warnings, the rest is for debugging. */
  readonly logger?: Pick<Console, 'debug' | 'warn'> | undefined;
}

export type Emit = (event: EaasEvent) => void;

/** Tells the observers; what they throw is theirs, and stops nothing. */
export function createEmit({ onEvent, logger }: Observers): Emit {
  const log = (event: EaasEvent): void =>
    logger?.['code' in event ? 'warn' : 'debug'](`eaas ${event.type}`, event);
  return (event) => {
    // Asynchronous, because what an observer promises and breaks would else end the process.
    for (const tell of [onEvent, log]) (async () => tell?.(event))().catch(() => undefined);
  };
}

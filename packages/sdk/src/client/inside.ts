// What streams, fields and other packages of Eaas use of a client, and apps do not: under a symbol, so that no editor offers it.
import type { Engines } from '../engines/engines.ts';
import type { DecryptOptions, Opener } from './decrypt.ts';
import type { Emit } from '../events.ts';
import type { Halves } from '../half/options.ts';

/** Where a client keeps it. Two copies of the SDK have the same symbol, so no half is overlooked. */
export const inside: unique symbol = Symbol.for('@eaas/sdk inside');

/** Node, Bun and Deno ask it what to print. */
export const inspect: unique symbol = Symbol.for('nodejs.util.inspect.custom');

export interface Inside {
  /** The implementations of AES-GCM that the client uses. */
  readonly engines: Engines;
  readonly halves?: Halves | undefined;
  /** For many values of a call, with its options: see `Opener`. Absent if no value can be opened at once. */
  readonly openerFor?: ((options: DecryptOptions) => Opener | undefined) | undefined;
  /** Emits an event of the client. Only of clients whose events the app observes. */
  readonly emit?: Emit | undefined;
  /** Whether the calls of the client throw until `as` has named a user, because `requireUser` is set. */
  readonly needsUser?: boolean;
  readonly isClosed?: boolean | undefined;
}

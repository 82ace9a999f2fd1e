import type { Input, Item, Output, Route } from '@eaas/protocol/wire';
import type { Refusal } from '../refusal.ts';

/** What the http door knows of a request before its body is read: all that admission may judge by. */
export interface Arrival {
  readonly route: Route;
  /** The Authorization header, as it came. */
  readonly authorization: string | undefined;
  readonly origin: string | undefined;
  /** In RFC 5952 form, IPv4-mapped as IPv4; null where it is not known. */
  readonly ipAddress: string | null;
  readonly requestId: string;
  /** By `performance.now()`. */
  readonly arrivedAt: number;
}

/** Who was admitted. Opaque to the http door, but for what goes into its log lines. */
export interface Caller {
  /** The API key's id. */
  readonly actor: string;
  readonly tenantId: string;
}

type BatchRoute = { [R in Route]: [Item<R>] extends [never] ? never : R }[Route];

/** A call alone: it answers, or throws a Refusal. */
type Single<R extends Route, C> = (caller: C, input: Input<R>) => Promise<Output<R>>;

/**
 * A batch is given its well-formed items in their order, perhaps none, and answers as many results, a Refusal for
 * each that fails alone. The door answers the malformed items itself, puts every result in its place, and echoes
 * each `reference`. A Refusal that is thrown fails the whole batch.
 */
type Batch<R extends BatchRoute, C> = (
  caller: C,
  input: { readonly items: readonly Item<R>[] },
) => Promise<{ readonly results: readonly (Output<R>['results'][number] | Refusal)[] }>;

type Operation<R extends Route, C> = R extends BatchRoute ? Batch<R, C> : Single<R, C>;

/** All that the http door sees of the service. */
export interface Doors<C extends Caller = Caller> {
  /** Throws the Refusal: 401, 403 of origin, permission or (recorded) envelope-only, 503 when it cannot know. */
  admit(arrival: Arrival): Promise<C>;
  /**
   * Throws as admit does when the caller is not let in any more. Admission may go by what is remembered, because an
   * operation asks again; a request that comes to no operation has this asked instead, since 401 and 403 come first.
   */
  confirm(caller: C): Promise<void>;
  readonly operations: { readonly [R in Route]: Operation<R, C> };
  /** Whether the service can work, and if not, why; for /readyz, which anybody may read. */
  health(): Promise<{ ready: boolean; reasons: string[] }>;
  /** What the service counts, as Prometheus text; the door adds its own. */
  metrics(): Promise<string>;
  /** Whether the service is stopping: new requests are then refused. */
  draining(): boolean;
}

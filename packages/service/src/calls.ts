// What a service knows of each route before anybody calls it: what its operation makes, with what plugins add, and what its
// answers show. A service makes this table when it starts (service.ts), and the way of a call (answer.ts) looks into it.
import { type Endpoint, endpoints, type Route } from '@eaas/protocol/wire';
import type { Reading } from './ledger/ledger.ts';
import type { Caller, Part } from './operation.ts';
import type { Operate } from './plugin.ts';
import { nothingHere } from './rules/refusal.ts';
import { canWrite, type Member, membersOf } from '@eaas/protocol/internal-service';
import type { Service } from './service.ts';

export interface Call {
  readonly route: Route;
  readonly endpoint: Endpoint;
  /** How a call reads, if it cannot write. */
  readonly reads: Reading | undefined;
  /** Makes what a call adds to its decision. Throws Refusal for an input that no schema refuses. */
  readonly part: (service: Service, caller: Caller, input: object) => Part<object>;
  /** What answers show. */
  readonly shown: readonly Member[];
  /** What answers show to users: perhaps less. */
  readonly shownToUsers: readonly Member[];
}

export type Calls = Readonly<Record<Route, Call>>;

const none: Part<object> = { judge: () => ({ entries: [], answer: nothingHere() }) };

/** Makes the calls of a service from operations. Those of a route are made in turn, each of the part that the one before made. */
export function callsOf(operations: readonly Partial<Record<Route, Operate>>[]): Calls {
  const callOf = (route: Route): Call => {
    const endpoint: Endpoint = endpoints[route];
    const operates = operations.flatMap((some) => some[route] ?? []);
    const shown = membersOf(endpoint.output);
    return {
      route,
      endpoint,
      reads: canWrite(route, endpoint) ? undefined : endpoint,
      part: (service, caller, input) =>
        operates.reduce((part, operate) => operate(service, caller, input as never, part), none),
      shown,
      shownToUsers: endpoint.userOutput ? membersOf(endpoint.userOutput) : shown,
    };
  };
  const routes = Object.keys(endpoints) as Route[];
  return Object.fromEntries(routes.map((route) => [route, callOf(route)])) as Record<Route, Call>;
}

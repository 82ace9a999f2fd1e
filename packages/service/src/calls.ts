// What a service knows of each route before anybody calls it: what its operation makes, with what plugins add, and what its
// answers show. A service makes this table when it starts (service.ts), and the way of a call (answer.ts) looks into it.
import { type Endpoint, endpoints, type Route } from '@eaas/protocol/wire';
import type { Caller, Part } from './operation.ts';
import type { Operate, Plugin } from './plugin.ts';
import { type Member, membersOf } from '@eaas/protocol/internal-service';
import type { Service } from './service.ts';

export interface Call {
  readonly route: Route;
  readonly endpoint: Endpoint;
  /** Makes what a call adds to its decision. Throws Refusal for an input that no schema refuses. */
  readonly part: (service: Service, caller: Caller, input: object) => Part<object>;
  /** What answers show. */
  readonly shown: readonly Member[];
  /** What answers show to users: perhaps less. */
  readonly shownToUsers: readonly Member[];
}

export type Calls = Readonly<Record<Route, Call>>;

/** Makes the calls of a service. */
export function callsOf(operations: Readonly<Record<Route, Operate>>, plugins: readonly Plugin[]): Calls {
  const callOf = (route: Route): Call => {
    const endpoint: Endpoint = endpoints[route];
    const operate = operations[route];
    const around = plugins.flatMap((plugin) => plugin.around?.[route] ?? []);
    const shown = membersOf(endpoint.output);
    return {
      route,
      endpoint,
      part: (service, caller, input) => {
        const own = operate(service, caller, input as never);
        return around.reduce<Part<object>>((part, add) => add(service, part, caller, input as never), own);
      },
      shown,
      shownToUsers: endpoint.userOutput ? membersOf(endpoint.userOutput) : shown,
    };
  };
  const routes = Object.keys(endpoints) as Route[];
  return Object.fromEntries(routes.map((route) => [route, callOf(route)])) as Record<Route, Call>;
}

// Answers calls of a client in the same process: what the door does (door.ts), without the request and the response.
import { nextTurn } from '@eaas/protocol/internal';
import { checkBody, splitRoute } from '@eaas/protocol/internal-service';
import { type Endpoint, endpoints, type Input, type Output, type Route } from '@eaas/protocol/wire';
import { type Caller, readInput, run } from '@eaas/service';
import { type LocalDoor, shownBy } from './door.ts';
import { clientError } from './own-tenant.ts';

/** Answers a call. Throws ServiceError. */
export type Call = <R extends Route>(route: R, input: Input<R>) => Promise<Output<R>>;

export function createCall(door: LocalDoor, caller: Caller): Call {
  return async <R extends Route>(route: R, input: Input<R>) => {
    try {
      // Timers and other calls come first, even in an endless loop of calls.
      await nextTurn();
      await door.before?.(route);
      const fields = fieldsOf(route, Object(input)) as Input<R>;
      const { answer } = await run(door.service, caller, route, fields);
      return shownBy(door, route, answer, caller.isUser === true) as Output<R>;
    } catch (error) {
      throw clientError(error);
    }
  };
}

/** Checks an input as one that arrives in a request. Throws Refusal. */
function fieldsOf(route: Route, input: object): object {
  const endpoint: Endpoint = endpoints[route];
  const { parameters } = splitRoute(route);
  const isInPath = ([name]: [string, string]) => parameters.includes(name);
  const given = Object.entries(JSON.parse(JSON.stringify(input)) as Record<string, string>);
  const named = Object.fromEntries(given.filter(isInPath));
  const others = Object.fromEntries(given.filter((field) => !isInPath(field)));
  if (!endpoint.query) return { ...checkBody(endpoint, others), ...named };
  const url = `?${new URLSearchParams(others)}`;
  return { ...readInput(endpoint, { url, body: new Uint8Array() }), ...named };
}

import type { Route } from '@eaas/protocol/wire';
import { Refusal } from '../../refusal.ts';
import { routes } from '../api.ts';
import type { Arrival, Caller, Doors } from '../doors.ts';
import { callOf } from '../reference/groups.ts';
import { apiKeyId, tenantId, token } from '../reference/samples.ts';

/** The header that these doors admit. */
export const authorization = `Bearer ${token}`;
export const listedOrigin = 'https://app.example';

interface Call {
  readonly route: Route;
  readonly caller: Caller;
  readonly input: unknown;
}

export interface MemoryDoors extends Doors {
  /** Every request that asked to be admitted. */
  readonly arrivals: Arrival[];
  /** Every operation that ran. */
  readonly calls: Call[];
}

/** Doors to a service of examples: it admits one API key and answers every call as the reference shows it. */
export function memoryDoors(
  changes: Partial<Doors> = {},
  answers: Partial<Record<Route, unknown>> = {},
): MemoryDoors {
  const arrivals: Arrival[] = [];
  const calls: Call[] = [];
  const operate = (route: Route) => async (caller: Caller, input: unknown) => {
    calls.push({ route, caller, input });
    const answer = answers[route] ?? callOf(route).example.output;
    return typeof answer === 'function' ? (answer as (input: unknown) => unknown)(input) : answer;
  };
  return {
    arrivals,
    calls,
    admit: async (arrival) => {
      arrivals.push(arrival);
      if (arrival.authorization !== authorization) {
        throw new Refusal('unauthorized', 'The API key is absent, unknown, expired or revoked.');
      }
      if (arrival.origin !== undefined && arrival.origin !== listedOrigin) {
        throw new Refusal('origin_refused', 'The API key does not list this origin.');
      }
      return { actor: apiKeyId, tenantId };
    },
    confirm: async () => {},
    operations: Object.fromEntries(
      routes.map(([route]) => [route, operate(route)]),
    ) as unknown as Doors['operations'],
    health: async () => ({ ready: true, reasons: [] }),
    metrics: async () => 'eaas_example 1\n',
    draining: () => false,
    ...changes,
  };
}

import type { Output, Route } from '@eaas/protocol/wire';
import { Registry } from 'prom-client';
import { createAdmission } from '../../admission/admission.ts';
import { Refusal } from '../../base/refusal.ts';
import type { Arrival } from '../../operations/admit.ts';
import type { Caller } from '../../state/caller.ts';
import type { Doors } from '../doors.ts';
import { HttpMetrics } from '../metrics.ts';
import { apiKeyId, callOf, tenantId, token } from '@eaas/protocol/reference';

export const authorization = `Bearer ${token}`;
export const listedOrigin = 'https://app.example';

interface Call {
  readonly route: Route;
  readonly caller: Caller;
  readonly input: unknown;
}

export interface MemoryDoors extends Doors {
  readonly arrivals: Arrival[];
  readonly calls: Call[];
}

export function memoryDoors(
  changes: Partial<Doors> = {},
  answers: Partial<Record<Route, object | ((input: unknown) => unknown)>> = {},
): MemoryDoors {
  const arrivals: Arrival[] = [];
  const calls: Call[] = [];
  const registry = new Registry();
  const requests = new HttpMetrics(registry);
  return {
    admission: createAdmission(),
    arrivals,
    calls,
    admit: async (arrival) => {
      arrivals.push(arrival);
      if (arrival.authorization !== authorization) {
        throw new Refusal('unauthorized', 'The API key is absent, unknown, expired or revoked.');
      }
      if (arrival.origin !== undefined && arrival.origin !== listedOrigin) {
        throw new Refusal('origin_refused', 'This API key refuses requests from this origin.');
      }
      const { ipAddress, arrivedAt } = arrival;
      return { actor: apiKeyId, tenantId, ipAddress, arrivedAt, credential: null };
    },
    confirm: async () => {},
    run: async <R extends Route>(route: R, caller: Caller, input: unknown) => {
      calls.push({ route, caller, input });
      const answer = answers[route] ?? callOf(route).output;
      return (typeof answer === 'function' ? answer(input) : answer) as Output<R>;
    },
    failed: () => {},
    health: async () => ({ ready: true, reasons: [] }),
    requests,
    registry,
    metrics: async () => `${await registry.metrics()}eaas_example 1\n`,
    ...changes,
  };
}

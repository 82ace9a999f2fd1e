// A service in memory for tests of HTTP: it knows one API key, and answers each call as the test says, or as the reference does.
import { memoryStore } from '@eaas/local/internal';
import { endpoints, type Route } from '@eaas/protocol/wire';
import { apiKeyId, callOf, tenantId, token } from '@eaas/protocol/internal-reference';
import {
  type Arrival,
  type Caller,
  createService,
  newTenant,
  type Plugin,
  Refusal,
  rootKey,
} from '@eaas/service';
import { Registry } from 'prom-client';
import { Fair } from '../../fair.ts';
import type { Served } from '../app.ts';
import { HttpMetrics } from '../metrics.ts';

export const authorization = `Bearer ${token}`;
export const listedOrigin = 'https://app.example';

export type MemoryService = ReturnType<typeof memoryService>;

const answered = async (answer: Answer, input: object): Promise<object> =>
  (typeof answer === 'function' ? answer(input) : answer) as object;

type Answer = object | ((input: unknown) => unknown);

export function memoryService(changes: Partial<Served> = {}, answers: Partial<Record<Route, Answer>> = {}) {
  const registry = new Registry();
  const operationOf = (route: Route) => (_: unknown, caller: Caller, input: object) => {
    served.calls.push({ route, caller, input });
    const answer = answers[route] ?? { ...callOf(route).output, isOfNoSchema: true };
    const outcome = answered(answer, input).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    let settled: Awaited<typeof outcome> | undefined;
    return {
      needs: () => [],
      prepare: async () => {
        settled = await outcome;
      },
      judge: () => {
        if (settled && 'value' in settled) return { entries: [], answer: settled.value };
        throw settled?.error ?? new Error('the answer was not awaited');
      },
    };
  };
  /** What calls are let through by, before they are judged. */
  const glances = new WeakSet<object>();
  const player: Plugin = {
    name: 'player',
    authenticate: async (arrival) => {
      served.arrivals.push(arrival);
      const { authorization: sent, origin, ipAddress, signal } = arrival;
      if (served.refusal) throw served.refusal;
      if (sent !== authorization) throw new Refusal('unauthorized', 'The API key is unknown.');
      if (origin !== undefined && origin !== listedOrigin) {
        throw new Refusal('origin_refused', 'This API key refuses requests from this origin.');
      }
      const holder: Caller['holder'] = (view) => {
        if (served.isRevoked && !glances.has(view)) {
          throw new Refusal('unauthorized', 'The API key was revoked.');
        }
        return null;
      };
      return { tenantId, actor: apiKeyId, ipAddress, signal, asks: null, needs: [], holder };
    },
    endpoints: Object.fromEntries(
      (Object.keys(endpoints) as Route[]).map((route) => [route, operationOf(route)]),
    ),
  };
  const roots = [rootKey(new Uint8Array(32))] as const;
  const store = memoryStore({ now: Date.now });
  const { head, writes } = newTenant(roots, { name: 'ann', envelope_only: false }, Date.now(), { tenantId });
  void store.create(head, writes);
  const service = createService({ store, roots, plugins: [player] });
  const { ledger } = service;
  const remembered = ledger.remembered.bind(ledger);
  ledger.remembered = (id) => {
    const view = remembered(id);
    if (view) glances.add(view);
    return view;
  };
  const served = {
    service,
    fair: new Fair(),
    requests: new HttpMetrics(registry),
    metrics: async () => `${await registry.metrics()}eaas_example 1\n`,
    health: async () => ({ ready: true, reasons: [] }),
    isStopping: () => false,
    ...changes,
    arrivals: [] as Arrival[],
    calls: [] as { route: Route; caller: Caller; input: unknown }[],
    /** What admission throws, if it throws. */
    refusal: undefined as Refusal | undefined,
    /** Whether the API key is revoked, which a glance does not see. */
    isRevoked: false,
  };
  return served;
}

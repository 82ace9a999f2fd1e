// The operations of the API for callers without an HTTP request: the operator, and what runs beside the server.
import { endpoints, type Input, type Output, type Route } from '@eaas/protocol/wire';
import { type Caller, run } from '@eaas/service';
import type { Service } from '../app/service.ts';
import { orNoTenant } from './tenants.ts';

type Operations = {
  readonly [R in Route]: (service: Service, caller: Caller, input: Input<R>) => Promise<Output<R>>;
};

/** Each throws Refusal. */
export const operations = Object.fromEntries(
  (Object.keys(endpoints) as Route[]).map((route) => [
    route,
    async (service: Service, caller: Caller, input: Input<Route>) =>
      (await orNoTenant(run(service, caller, route, input))).answer,
  ]),
) as unknown as Operations;

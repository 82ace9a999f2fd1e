import { type Endpoint, endpoints, type Route } from '@eaas/protocol/wire';
import { callOf } from './groups.ts';

type Values = Record<string, unknown>;

/** The example's input, parted into what stands in the path, the query and the body. */
export function splitInput(route: Route): { path: Values; query: Values; body: Values } {
  const { query }: Endpoint = endpoints[route];
  const inPath = new Set(Array.from(route.matchAll(/:(\w+)/g), ([, name]) => name));
  const parts = { path: {} as Values, query: {} as Values, body: {} as Values };
  for (const [name, value] of Object.entries(callOf(route).example.input as Values)) {
    const part = inPath.has(name) ? 'path' : name in (query?.shape ?? {}) ? 'query' : 'body';
    parts[part][name] = value;
  }
  return parts;
}

// Finds the endpoint of a request, for the door and its `fetch`. HTTP in the server has a router of its own.
import { splitRoute } from '@eaas/protocol/internal-service';
import { type Endpoint, endpoints, type Route } from '@eaas/protocol/wire';
import { methodNotAllowed, nothingHere } from '@eaas/service';

/** Every route of the API, with its endpoint and the parts of its path. */
const routes = /* @__PURE__ */ Object.entries(endpoints).map(([route, endpoint]: [string, Endpoint]) => {
  const { method, path } = splitRoute(route);
  return { route: route as Route, endpoint, method, parts: path.split('/') };
});

/** Finds the endpoint of a method and a path. Throws Refusal 404 or 405. */
export function findRoute(requested: string, path: string) {
  const here = routesAt(path);
  if (here.length === 0) throw nothingHere();
  const found = here.find(({ method }) => method === requested);
  if (!found) throw methodNotAllowed(methodsAt(path));
  return found;
}

/** Returns the methods that a path has. */
export const methodsAt = (path: string): string[] => routesAt(path).map(({ method }) => method);

function routesAt(path: string) {
  const segments = path.split('/').map(decode);
  return routes.flatMap(({ parts, ...found }) => {
    const fits = (part: string, at: number) =>
      part.startsWith(':') ? segments[at] !== '' : part === segments[at];
    if (parts.length !== segments.length || !parts.every(fits)) return [];
    const named = parts.flatMap((part, at) => (part.startsWith(':') ? [[part.slice(1), segments[at]]] : []));
    return [{ ...found, parameters: Object.fromEntries(named) as Record<string, string> }];
  });
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw nothingHere();
  }
}

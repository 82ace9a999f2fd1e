import { type Endpoint, endpoints, type Route } from '@eaas/protocol/wire';
import { Refusal } from './refusal.ts';

/** What a method and a path name. */
export interface Found {
  readonly route: Route;
  readonly endpoint: Endpoint;
  /** What stands in the path. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** The path is there, the method is not. */
export class MethodRefused extends Refusal {
  readonly allowed: readonly string[];

  constructor(allowed: readonly string[]) {
    super('method_not_allowed', `This path takes ${allowed.join(', ')}.`);
    this.allowed = allowed;
  }
}

const table = /* @__PURE__ */ Object.entries(endpoints) as [Route, Endpoint][];

/** The route of a request. Throws 404 where there is nothing at the path, and MethodRefused. */
export function findRoute(method: string, path: string): Found {
  const segments = path.split('/').map(decode);
  const here = table.flatMap(([route, endpoint]) => {
    const [routeMethod = '', pattern = ''] = route.split(' ');
    const parameters = match(pattern.split('/'), segments);
    return parameters ? [{ method: routeMethod, route, endpoint, parameters }] : [];
  });
  const found = here.find((one) => one.method === method);
  if (found) return found;
  if (here.length > 0) throw new MethodRefused(here.map((one) => one.method));
  throw new Refusal('not_found', 'There is nothing at this path.');
}

/** Where a created resource stands: its id goes where the table has one. */
export function locationOf(route: Route, record: object): string {
  const [, path = ''] = route.split(' ');
  const member = table.find(([other]) => other.startsWith(`GET ${path}/:`))?.[0].split(':')[1] ?? '';
  return `${path}/${String((record as Record<string, unknown>)[member])}`;
}

function match(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (part.startsWith(':') && segment !== '') parameters[part.slice(1)] = segment;
    else if (part !== segment) return undefined;
  }
  return parameters;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal('bad_request', 'The path is not percent-encoded UTF-8.');
  }
}

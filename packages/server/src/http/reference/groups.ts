import { type Endpoint, endpoints, type ProblemCode, problems, type Route } from '@eaas/protocol/wire';
import { apiKeys } from './api-keys.ts';
import { audit, usage } from './audit.ts';
import type { Call, Calls } from './call.ts';
import { batches, dataKeys } from './data-keys.ts';
import { keys } from './keys.ts';
import { serverMode } from './server-mode.ts';

/** Every call of the table. One that is missing here does not compile. */
const calls: Calls = {
  ...serverMode,
  ...dataKeys,
  ...batches,
  ...keys,
  ...audit,
  ...apiKeys,
  ...usage,
};

export interface Group {
  readonly title: string;
  readonly about: string;
  readonly routes: readonly Route[];
}

const group = (title: string, about: string, of: Partial<Calls>): Group => ({
  title,
  about,
  routes: Object.keys(of) as Route[],
});

/** The calls in the order of the reference. */
export const groups: readonly Group[] = [
  group('Encrypt and hash', 'Server mode: the plaintext passes through the service.', serverMode),
  group('Data keys', 'Envelope mode: encrypt locally; the service only wraps and unwraps.', dataKeys),
  group('Batches', 'Many of the same call in one request.', batches),
  group('Keys', 'Create, rotate, disable and destroy.', keys),
  group('Audit', 'Every operation, in a chain that nobody can quietly change.', audit),
  group('API keys', 'Who may do what.', apiKeys),
  group('Usage', 'What is counted.', usage),
];

/** The problems that a call can answer with, in the table's order: by status. */
export function problemsOf(route: Route): ProblemCode[] {
  const endpoint: Endpoint = endpoints[route];
  const takesFields = Object.keys(endpoint.body?.shape ?? {}).length > 0;
  const codes = new Set<ProblemCode>([
    'bad_request',
    'unauthorized',
    'permission_missing',
    'origin_refused',
    'internal',
    'unavailable',
    ...(takesFields ? (['too_large', 'unsupported_media_type'] as const) : []),
    ...calls[route].problems,
  ]);
  return (Object.keys(problems) as ProblemCode[]).filter((code) => codes.has(code));
}

/** What the reference says of a route, without the types of its example. */
export function callOf(route: Route): Call<Route> {
  return calls[route];
}

import { type Endpoint, endpoints, type ProblemCode, problems, type Route } from '../wire/index.ts';
import { takesFields } from '../service/index.ts';
import { apiKeys, audit, usage } from './administration.ts';
import { blindHashes } from './blind-hash.ts';
import { batches, dataKeys, serverMode } from './encryption.ts';
import { keys } from './keys.ts';
import type { Call, Calls } from './samples.ts';

const calls: Calls = {
  ...serverMode,
  ...blindHashes,
  ...dataKeys,
  ...batches,
  ...keys,
  ...audit,
  ...apiKeys,
  ...usage,
};

export function callOf(route: Route): Call<Route> {
  return calls[route];
}

const group = (title: string, about: string, of: Partial<Calls>) => ({
  title,
  about,
  routes: Object.keys(of) as Route[],
});

export const groups = [
  group('Encrypt and hash', 'Server mode: the plaintext passes through the service.', serverMode),
  group('Blind hashes', 'Fingerprints of values that never reach the service.', blindHashes),
  group('Data keys', 'Envelope mode: encrypt locally; the service only wraps and unwraps.', dataKeys),
  group('Batches', 'Up to 1,000 calls of one kind in one request.', batches),
  group('Keys', 'Create, rotate, disable and destroy.', keys),
  group('Audit', 'A record of every operation, in a hash chain that reveals later changes.', audit),
  group('API keys', 'Manage API keys and their permissions.', apiKeys),
  group('Usage', 'Operations per month.', usage),
];

export function problemsOf(route: Route): ProblemCode[] {
  const endpoint: Endpoint = endpoints[route];
  const codes = new Set<ProblemCode>([
    'bad_request',
    'unauthorized',
    'permission_missing',
    'origin_refused',
    'internal',
    'unavailable',
    ...(takesFields(endpoint) ? (['too_large', 'unsupported_media_type'] as const) : []),
    ...calls[route].problems,
  ]);
  return (Object.keys(problems) as ProblemCode[]).filter((code) => codes.has(code));
}

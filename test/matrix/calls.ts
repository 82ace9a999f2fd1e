import type { Input, Permission, Route } from '@eaas/protocol/wire';
import { endpoints } from '@eaas/protocol/wire';
import { type Answer, asJson, type Client } from '../conformance/client.ts';
import { bring, newDek, ok, type Tenant, uniqueName } from '../conformance/fixture.ts';
import { jwkOfBits } from '../conformance/rsa.ts';

/** What a call's id names, and in which state that must be for the call to succeed. */
type Subject = 'none' | 'active' | 'disabled' | 'pending_destruction' | 'api key';

/** What was made with the key that a call is about. */
export interface Material {
  readonly id: string;
  readonly wrapped_key: string;
  readonly ciphertext: string;
}

/** The smallest valid input of an endpoint. An id in its path is the material's. */
interface Call {
  readonly subject: Subject;
  /** What the contract says its caller must hold. */
  readonly permission: Permission;
  readonly query?: (material: Material) => string;
  readonly body?: (material: Material) => object;
}

/** Every endpoint: one that is missing here doesn't compile. */
export const calls: { readonly [R in Route]: Call } = {
  'POST /v1/encrypt': {
    subject: 'active',
    permission: 'encrypt',
    body: ({ id }) => ({ key_id: id, plaintext: 'x' }),
  },
  'POST /v1/decrypt': {
    subject: 'active',
    permission: 'decrypt',
    body: ({ id, ciphertext }) => ({ key_id: id, key_version: 1, ciphertext }),
  },
  'POST /v1/hash': {
    subject: 'active',
    permission: 'encrypt',
    body: ({ id }) => ({ key_id: id, value: 'x' }),
  },
  'POST /v1/keys': {
    subject: 'none',
    permission: 'keys.manage',
    body: () => ({ name: uniqueName('key') }),
  },
  'GET /v1/keys': { subject: 'none', permission: 'keys.read' },
  'GET /v1/keys/:key_id': { subject: 'active', permission: 'keys.read' },
  'DELETE /v1/keys/:key_id': { subject: 'disabled', permission: 'keys.destroy' },
  'POST /v1/keys/:key_id/rotate': { subject: 'active', permission: 'keys.manage' },
  'POST /v1/keys/:key_id/disable': { subject: 'active', permission: 'keys.manage' },
  'POST /v1/keys/:key_id/enable': { subject: 'disabled', permission: 'keys.manage' },
  'POST /v1/keys/:key_id/restore': { subject: 'pending_destruction', permission: 'keys.destroy' },
  'PUT /v1/keys/:key_id/rotation-policy': {
    subject: 'active',
    permission: 'keys.manage',
    body: () => ({ interval_days: 30 }),
  },
  'POST /v1/keys/:key_id/export': {
    subject: 'active',
    permission: 'keys.export',
    body: () => ({ public_key: jwkOfBits(3_072) }),
  },
  'POST /v1/keys/:key_id/wrap': {
    subject: 'active',
    permission: 'encrypt',
    body: () => ({ dek: newDek() }),
  },
  'POST /v1/keys/:key_id/unwrap': {
    subject: 'active',
    permission: 'decrypt',
    body: ({ wrapped_key }) => ({ wrapped_key }),
  },
  'POST /v1/keys/:key_id/rewrap': {
    subject: 'active',
    permission: 'encrypt',
    body: ({ wrapped_key }) => ({ wrapped_key }),
  },
  'POST /v1/batch/wrap': {
    subject: 'active',
    permission: 'encrypt',
    body: ({ id }) => ({ items: [{ key_id: id, dek: newDek() }] }),
  },
  'POST /v1/batch/unwrap': {
    subject: 'active',
    permission: 'decrypt',
    body: ({ id, wrapped_key }) => ({ items: [{ key_id: id, wrapped_key }] }),
  },
  'POST /v1/batch/rewrap': {
    subject: 'active',
    permission: 'encrypt',
    body: ({ id, wrapped_key }) => ({ items: [{ key_id: id, wrapped_key }] }),
  },
  'POST /v1/batch/hash': {
    subject: 'active',
    permission: 'encrypt',
    body: ({ id }) => ({ items: [{ key_id: id, value: 'x' }] }),
  },
  'GET /v1/audit': { subject: 'active', permission: 'audit.read', query: ({ id }) => `key_id=${id}` },
  'GET /v1/audit/verify': { subject: 'none', permission: 'audit.read' },
  'GET /v1/audit/checkpoint': { subject: 'none', permission: 'audit.read' },
  'POST /v1/api-keys': {
    subject: 'none',
    permission: 'api_keys.manage',
    body: () => ({ name: uniqueName('api key'), permissions: ['api_keys.manage'] }),
  },
  'GET /v1/api-keys': { subject: 'none', permission: 'api_keys.manage' },
  'GET /v1/api-keys/:api_key_id': { subject: 'api key', permission: 'api_keys.manage' },
  'PATCH /v1/api-keys/:api_key_id': {
    subject: 'api key',
    permission: 'api_keys.manage',
    body: () => ({ name: uniqueName('api key') }),
  },
  'DELETE /v1/api-keys/:api_key_id': { subject: 'api key', permission: 'api_keys.manage' },
  'GET /v1/usage': { subject: 'none', permission: 'usage.read' },
};

export const routes = Object.keys(endpoints) as Route[];
/** The endpoints that name a key or an API key somewhere. */
export const routesWithId = routes.filter((route) => calls[route].subject !== 'none');

/** What a field may hold, for tables of what it may not. */
export type Kind =
  | 'text'
  | 'name'
  | 'base64'
  | 'key id'
  | 'whole number'
  | 'true or false'
  | 'context'
  | 'list'
  | 'items'
  | 'object'
  | 'date'
  | 'days'
  | 'any text in a query'
  | 'one of some words';

type PathParameter<R extends string> = R extends `${string}:${infer Name}/${string}`
  ? Name
  : R extends `${string}:${infer Name}`
    ? Name
    : never;
/** The fields of a call's body or query. */
type Fields<R extends Route> = { readonly [F in Exclude<keyof Input<R>, PathParameter<R>>]-?: Kind };

const crypto = { context: 'context' } as const;
const page = { limit: 'whole number', offset: 'whole number' } as const;
const apiKey = {
  name: 'name',
  permissions: 'list',
  key_ids: 'list',
  expires_at: 'date',
  allowed_origins: 'list',
} as const;

/** Every field of every endpoint: one that is missing here doesn't compile. */
export const fields: { readonly [R in Route]: Fields<R> } = {
  'POST /v1/encrypt': { key_id: 'key id', plaintext: 'text', ...crypto },
  'POST /v1/decrypt': {
    key_id: 'key id',
    key_version: 'whole number',
    ciphertext: 'base64',
    wrapped_key: 'base64',
    iv: 'base64',
    ...crypto,
  },
  'POST /v1/hash': { key_id: 'key id', value: 'text' },
  'POST /v1/keys': { name: 'name', exportable: 'true or false', rotation_policy: 'object' },
  'GET /v1/keys': { ...page, status: 'one of some words', name: 'any text in a query' },
  'GET /v1/keys/:key_id': {},
  'DELETE /v1/keys/:key_id': { grace_days: 'days' },
  'POST /v1/keys/:key_id/rotate': { key_version: 'whole number' },
  'POST /v1/keys/:key_id/disable': {},
  'POST /v1/keys/:key_id/enable': {},
  'POST /v1/keys/:key_id/restore': {},
  'PUT /v1/keys/:key_id/rotation-policy': { interval_days: 'days' },
  'POST /v1/keys/:key_id/export': { public_key: 'object' },
  'POST /v1/keys/:key_id/wrap': { dek: 'base64', ...crypto },
  'POST /v1/keys/:key_id/unwrap': { wrapped_key: 'base64', key_version: 'whole number', ...crypto },
  'POST /v1/keys/:key_id/rewrap': { wrapped_key: 'base64', ...crypto },
  'POST /v1/batch/wrap': { items: 'items' },
  'POST /v1/batch/unwrap': { items: 'items' },
  'POST /v1/batch/rewrap': { items: 'items' },
  'POST /v1/batch/hash': { items: 'items' },
  'GET /v1/audit': {
    ...page,
    key_id: 'any text in a query',
    action: 'one of some words',
    date_from: 'date',
    date_to: 'date',
  },
  'GET /v1/audit/verify': { from_id: 'whole number', to_id: 'whole number', checkpoint: 'base64' },
  'GET /v1/audit/checkpoint': {},
  'POST /v1/api-keys': apiKey,
  'GET /v1/api-keys': page,
  'GET /v1/api-keys/:api_key_id': {},
  'PATCH /v1/api-keys/:api_key_id': apiKey,
  'DELETE /v1/api-keys/:api_key_id': {},
  'GET /v1/usage': { month: 'date' },
};

/** The method, the path with this id in it, and whether what it takes stands in a body. */
export function lineOf(route: Route, id: string): { method: string; path: string; takesBody: boolean } {
  const [method = '', pattern = ''] = route.split(' ');
  return { method, path: pattern.replace(/:\w+/, id), takesBody: method !== 'GET' && method !== 'DELETE' };
}

/** Makes the call with its smallest valid input. */
export function call(
  api: Client,
  route: Route,
  material: Material,
  options: { headers?: Record<string, string> } = {},
): Promise<Answer> {
  const { query, body } = calls[route];
  const { method, path } = lineOf(route, material.id);
  const content = body?.(material);
  return api.send(method, path + (query ? `?${query(material)}` : ''), content && JSON.stringify(content), {
    ...(content && asJson),
    ...options.headers,
  });
}

/** Makes what a route's call needs to succeed: a key in the state, with something wrapped under it, or an API key. */
export async function materialFor(tenant: Tenant, route: Route): Promise<Material> {
  const { subject } = calls[route];
  if (subject === 'api key') {
    const { record } = await tenant.issue({ permissions: ['encrypt'] });
    return { id: record.api_key_id, wrapped_key: '', ciphertext: '' };
  }
  const { key_id } = await tenant.newKey({ exportable: true });
  const bundle = ok(await tenant.api.post('/v1/encrypt', { key_id, plaintext: 'x' }));
  if (subject !== 'none') await bring(tenant.api, key_id, subject);
  return { id: key_id, wrapped_key: bundle.wrapped_key, ciphertext: bundle.ciphertext };
}

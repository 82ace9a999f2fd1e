import { endpoints, type Input, type Permission, type Route } from '@eaas/protocol/wire';
import { type Answer, asJson, type Client } from './api.ts';
import { bring, newDek, ok, type Tenant, uniqueName } from './fixture.ts';
import { jwkOfBits } from './rsa.ts';

type Subject =
  | 'none'
  | 'active'
  | 'rotated'
  | 'disabled'
  | 'pending_destruction'
  | 'api key'
  | 'issuer'
  | 'person';

export interface Material {
  readonly id: string;
  readonly wrapped_key: string;
  readonly ciphertext: string;
}

interface Call {
  readonly subject: Subject;
  readonly permission: Permission;
  readonly body: ((material: Material) => object) | undefined;
  readonly query: ((material: Material) => string) | undefined;
}

function needs(subject: Subject, permission: Permission, body?: Call['body'], query?: Call['query']): Call {
  return { subject, permission, body, query };
}

const named = (what: string) => () => ({ name: uniqueName(what) });
const wrappedKey = ({ wrapped_key }: Material) => ({ wrapped_key });
const batch = (item: (material: Material) => object) => (material: Material) => ({
  items: [{ key_id: material.id, ...item(material) }],
});
const dek = () => ({ dek: newDek() });

/** The public key of RFC 8037, appendix A.2. */
const jwks = {
  keys: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }],
};

/** Makes the fields of an issuer whose users can use a key. */
export const newIssuer = (keyId: string) => ({
  ...named('issuer')(),
  issuer: 'https://sign-in.example',
  audience: 'https://app.example',
  jwks,
  permissions: ['encrypt', 'decrypt'],
  key_ids: [keyId],
});

export const calls: { readonly [R in Route]: Call } = {
  'POST /v1/encrypt': needs('active', 'encrypt', ({ id }) => ({ key_id: id, plaintext: 'x' })),
  'POST /v1/decrypt': needs('active', 'decrypt', ({ id, ciphertext }) => ({
    key_id: id,
    key_version: 1,
    ciphertext,
  })),
  'POST /v1/hash': needs('active', 'encrypt', ({ id }) => ({ key_id: id, value: 'x' })),
  'POST /v1/keys': needs('none', 'keys.manage', named('key')),
  'GET /v1/keys': needs('none', 'keys.read'),
  'GET /v1/keys/:key_id': needs('active', 'keys.read'),
  'GET /v1/keys/:key_id/public-key': needs('active', 'encrypt'),
  'DELETE /v1/keys/:key_id': needs('disabled', 'keys.destroy'),
  'POST /v1/keys/:key_id/rotate': needs('active', 'keys.manage'),
  'POST /v1/keys/:key_id/disable': needs('active', 'keys.manage'),
  'POST /v1/keys/:key_id/enable': needs('disabled', 'keys.manage'),
  'POST /v1/keys/:key_id/restore': needs('pending_destruction', 'keys.destroy'),
  'PUT /v1/keys/:key_id/rotation-policy': needs('active', 'keys.manage', () => ({ interval_days: 30 })),
  'PUT /v1/keys/:key_id/min-version': needs('rotated', 'keys.manage', () => ({ key_version: 2 })),
  'POST /v1/keys/:key_id/export': needs('active', 'keys.export', () => ({ public_key: jwkOfBits(3_072) })),
  'POST /v1/keys/:key_id/wrap': needs('active', 'encrypt', dek),
  'POST /v1/keys/:key_id/unwrap': needs('active', 'decrypt', wrappedKey),
  'POST /v1/keys/:key_id/rewrap': needs('active', 'encrypt', wrappedKey),
  'POST /v1/batch/wrap': needs('active', 'encrypt', batch(dek)),
  'POST /v1/batch/unwrap': needs('active', 'decrypt', batch(wrappedKey)),
  'POST /v1/batch/rewrap': needs('active', 'encrypt', batch(wrappedKey)),
  'POST /v1/batch/hash': needs(
    'active',
    'encrypt',
    batch(() => ({ value: 'x' })),
  ),
  'POST /v1/subjects/show': needs('person', 'audit.read', ({ id }) => ({ subject: id })),
  'POST /v1/subjects/erase': needs('person', 'subjects.erase', ({ id }) => ({ subject: id })),
  'GET /v1/audit': needs('active', 'audit.read', undefined, ({ id }) => `key_id=${id}`),
  'GET /v1/audit/verify': needs('none', 'audit.read'),
  'GET /v1/audit/checkpoint': needs('none', 'audit.read'),
  'GET /v1/audit/proof': needs('none', 'audit.read'),
  'POST /v1/api-keys': needs('none', 'api_keys.manage', () => ({
    ...named('api key')(),
    permissions: ['api_keys.manage'],
  })),
  'GET /v1/api-keys': needs('none', 'api_keys.manage'),
  'GET /v1/api-keys/:api_key_id': needs('api key', 'api_keys.manage'),
  'PATCH /v1/api-keys/:api_key_id': needs('api key', 'api_keys.manage', named('api key')),
  'DELETE /v1/api-keys/:api_key_id': needs('api key', 'api_keys.manage'),
  'POST /v1/issuers': needs('active', 'api_keys.manage', ({ id }) => newIssuer(id)),
  'GET /v1/issuers': needs('none', 'api_keys.manage'),
  'GET /v1/issuers/:issuer_id': needs('issuer', 'api_keys.manage'),
  'PATCH /v1/issuers/:issuer_id': needs('issuer', 'api_keys.manage', named('issuer')),
  'DELETE /v1/issuers/:issuer_id': needs('issuer', 'api_keys.manage'),
  'GET /v1/usage': needs('none', 'usage.read'),
};

export const routes = Object.keys(endpoints) as Route[];
export const routesWithId = routes.filter((route) => calls[route].subject !== 'none');

export type Kind =
  | 'text'
  | 'name'
  | 'base64'
  | 'key id'
  | 'whole number'
  | 'page size'
  | 'true or false'
  | 'person'
  | 'claim'
  | 'URI'
  | 'hex'
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
type Fields<R extends Route> = { readonly [F in Exclude<keyof Input<R>, PathParameter<R>>]-?: Kind };

const user = { user: 'person' } as const;
const crypto = { context: 'context', subject: 'person', ...user } as const;
const subjectNames = { subject: 'person', subject_id: 'hex' } as const;
const page = { limit: 'page size', offset: 'whole number' } as const;
const apiKey = {
  name: 'name',
  permissions: 'list',
  key_ids: 'list',
  expires_at: 'date',
  allowed_origins: 'list',
} as const;

const issuer = {
  name: 'name',
  permissions: 'list',
  key_ids: 'list',
  jwks: 'object',
  jwks_uri: 'URI',
  authorized_parties: 'list',
  allowed_origins: 'list',
  require: 'object',
  max_age_seconds: 'whole number',
  expires_at: 'date',
} as const;

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
  'POST /v1/keys': {
    name: 'name',
    exportable: 'true or false',
    intake: 'true or false',
    subjects: 'one of some words',
    rotation_policy: 'object',
  },
  'GET /v1/keys': { ...page, status: 'one of some words', name: 'any text in a query' },
  'GET /v1/keys/:key_id': page,
  'GET /v1/keys/:key_id/public-key': {},
  'DELETE /v1/keys/:key_id': { grace_days: 'days' },
  'POST /v1/keys/:key_id/rotate': { key_version: 'whole number' },
  'POST /v1/keys/:key_id/disable': {},
  'POST /v1/keys/:key_id/enable': {},
  'POST /v1/keys/:key_id/restore': {},
  'PUT /v1/keys/:key_id/rotation-policy': { interval_days: 'days' },
  'PUT /v1/keys/:key_id/min-version': { key_version: 'whole number' },
  'POST /v1/keys/:key_id/export': {
    public_key: 'object',
    from_version: 'whole number',
    subjects: 'true or false',
    from_subject: 'hex',
  },
  'POST /v1/keys/:key_id/wrap': { dek: 'base64', ...crypto },
  'POST /v1/keys/:key_id/unwrap': { wrapped_key: 'base64', key_version: 'whole number', ...crypto },
  'POST /v1/keys/:key_id/rewrap': { wrapped_key: 'base64', ...crypto },
  'POST /v1/batch/wrap': { items: 'items', ...user },
  'POST /v1/batch/unwrap': { items: 'items', ...user },
  'POST /v1/batch/rewrap': { items: 'items', ...user },
  'POST /v1/batch/hash': { items: 'items' },
  'POST /v1/subjects/show': subjectNames,
  'POST /v1/subjects/erase': { ...subjectNames, create: 'true or false' },
  'GET /v1/audit': {
    ...page,
    key_id: 'any text in a query',
    action: 'one of some words',
    actor: 'one of some words',
    date_from: 'date',
    date_to: 'date',
    subject_id: 'hex',
    user_id: 'hex',
  },
  'GET /v1/audit/verify': {
    from_id: 'whole number',
    to_id: 'whole number',
    checkpoint: 'base64',
  },
  'GET /v1/audit/checkpoint': {},
  'GET /v1/audit/proof': { id: 'whole number' },
  'POST /v1/api-keys': apiKey,
  'GET /v1/api-keys': page,
  'GET /v1/api-keys/:api_key_id': {},
  'PATCH /v1/api-keys/:api_key_id': apiKey,
  'DELETE /v1/api-keys/:api_key_id': {},
  'POST /v1/issuers': {
    ...issuer,
    issuer: 'claim',
    audience: 'claim',
    subject_claim: 'claim',
    subject_prefix: 'text',
    kind: 'one of some words',
    any_subject: 'true or false',
  },
  'GET /v1/issuers': page,
  'GET /v1/issuers/:issuer_id': {},
  'PATCH /v1/issuers/:issuer_id': issuer,
  'DELETE /v1/issuers/:issuer_id': {},
  'GET /v1/usage': { month: 'date' },
};

export function lineOf(route: Route, id: string): { method: string; path: string; takesBody: boolean } {
  const [method = '', pattern = ''] = route.split(' ');
  return { method, path: pattern.replace(/:\w+/, id), takesBody: method !== 'GET' && method !== 'DELETE' };
}

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

export async function materialFor(tenant: Tenant, route: Route): Promise<Material> {
  const { subject } = calls[route];
  if (subject === 'api key') {
    const { record } = await tenant.issue({ permissions: ['encrypt'] });
    return { id: record.api_key_id, wrapped_key: '', ciphertext: '' };
  }
  const { key_id } = await tenant.newKey({ exportable: true });
  if (subject === 'issuer') {
    const { issuer_id } = ok(await tenant.api.post('/v1/issuers', newIssuer(key_id)));
    return { id: issuer_id, wrapped_key: '', ciphertext: '' };
  }
  const bundle = ok(await tenant.api.post('/v1/encrypt', { key_id, plaintext: 'x' }));
  if (subject === 'person') {
    ok(await tenant.api.post(`/v1/keys/${key_id}/wrap`, { dek: newDek(), subject: key_id }));
  } else if (subject === 'rotated') ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
  else if (subject !== 'none') await bring(tenant.api, key_id, subject);
  return { id: key_id, wrapped_key: bundle.wrapped_key, ciphertext: bundle.ciphertext };
}

import type { Input, Output, Route } from '@eaas/protocol/wire';
import type { Call, CallOptions } from './transport.ts';

/** `client.keys`: each call by its name. */
const keyRoutes = {
  create: 'POST /v1/keys',
  list: 'GET /v1/keys',
  get: 'GET /v1/keys/:key_id',
  rotate: 'POST /v1/keys/:key_id/rotate',
  disable: 'POST /v1/keys/:key_id/disable',
  enable: 'POST /v1/keys/:key_id/enable',
  destroy: 'DELETE /v1/keys/:key_id',
  restore: 'POST /v1/keys/:key_id/restore',
  setRotationPolicy: 'PUT /v1/keys/:key_id/rotation-policy',
  export: 'POST /v1/keys/:key_id/export',
} as const;

/** `client.apiKeys`. */
const apiKeyRoutes = {
  create: 'POST /v1/api-keys',
  list: 'GET /v1/api-keys',
  get: 'GET /v1/api-keys/:api_key_id',
  update: 'PATCH /v1/api-keys/:api_key_id',
  revoke: 'DELETE /v1/api-keys/:api_key_id',
} as const;

/** `client.serverMode`: the service sees the plaintext. For tenants that are not envelope-only. */
const serverModeRoutes = { encrypt: 'POST /v1/encrypt', decrypt: 'POST /v1/decrypt' } as const;

/** The calls of a table, each taking the wire's input and answering its output. Each throws EaasError. */
export type Calls<Routes extends Readonly<Record<string, Route>>> = {
  readonly [Name in keyof Routes]: (
    ...[input, options]: object extends Asked<Routes[Name]>
      ? [input?: Asked<Routes[Name]>, options?: CallOptions]
      : [input: Asked<Routes[Name]>, options?: CallOptions]
  ) => Promise<Output<Routes[Name]>>;
};

type Asked<R extends Route> = unknown extends Input<R> ? Readonly<Record<string, never>> : Readonly<Input<R>>;

/** `create`, `list`, `get`, `rotate`, `disable`, `enable`, `destroy`, `restore`, `setRotationPolicy`, `export`. */
export type KeyCalls = Calls<typeof keyRoutes>;
/** `create`, `list`, `get`, `update`, `revoke`. */
export type ApiKeyCalls = Calls<typeof apiKeyRoutes>;
/** `encrypt`, `decrypt`: by the service, which sees the plaintext. */
export type ServerModeCalls = Calls<typeof serverModeRoutes>;

export const keyCalls = (call: Call): KeyCalls => bind(call, keyRoutes);
export const apiKeyCalls = (call: Call): ApiKeyCalls => bind(call, apiKeyRoutes);
export const serverModeCalls = (call: Call): ServerModeCalls => bind(call, serverModeRoutes);

function bind<Routes extends Readonly<Record<string, Route>>>(call: Call, routes: Routes): Calls<Routes> {
  const bound = Object.entries(routes).map(([name, route]) => [
    name,
    (input: never, options?: CallOptions) => call(route, input, options),
  ]);
  return Object.fromEntries(bound) as Calls<Routes>;
}

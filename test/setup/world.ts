import { randomBytes } from 'node:crypto';
import { endpoints, type Input, type Output, permissions, type Route } from '@eaas/protocol/wire';
import { insider } from '../../packages/server/src/caller.ts';
import { rootKey } from '../../packages/server/src/crypto/key-hierarchy.ts';
import { admit } from '../../packages/server/src/operations/admit.ts';
import { createApiKey } from '../../packages/server/src/operations/create-api-key.ts';
import { operations } from '../../packages/server/src/operations/table.ts';
import { createTenant, type TenantFields } from '../../packages/server/src/operations/tenants.ts';
import { Refusal } from '../../packages/server/src/refusal.ts';
import { createService, type Service } from '../../packages/server/src/service.ts';
import { Database } from '../../packages/server/src/store/database.ts';
import { createDatabase, type TestDatabase } from './database.ts';
import { migrated } from './migrated.ts';

/** A migrated database and the replicas on it, under the server's role and with a clock that the test sets. */
export interface World {
  readonly database: TestDatabase;
  readonly roots: readonly [ReturnType<typeof rootKey>];
  /** Milliseconds since 1970, for every replica. */
  time: number;
  /** A replica that remembers nothing yet. */
  replica(): Service;
  close(): Promise<void>;
}

export async function openWorld(time: string): Promise<World> {
  const database = await createDatabase(migrated);
  const connections = new Database(database.connection('server'), 6);
  const roots = [rootKey(randomBytes(32))] as const;
  const world: World = {
    database,
    roots,
    time: Date.parse(time),
    replica: () => createService({ database: connections, roots, clock: () => world.time }),
    close: async () => {
      await connections.close();
      await database.drop();
    },
  };
  return world;
}

/** A call as the HTTP door makes it, with the answer held against its schema. Throws Refusal. */
export type Api = <R extends Route>(route: R, input: Input<R>) => Promise<Output<R>>;

export function apiOf(service: Service, token: string): Api {
  return async (route, input) => {
    const caller = await admit(service, {
      route,
      authorization: `Bearer ${token}`,
      origin: undefined,
      ipAddress: '192.0.2.7',
      arrivedAt: performance.now(),
    });
    const operation = operations[route] as unknown as (...all: unknown[]) => Promise<object>;
    return endpoints[route].output.parse(await operation(service, caller, input)) as Output<typeof route>;
  };
}

/** The status that a call is answered with. What is no Refusal is thrown on: it would be an internal error. */
export async function statusOf(call: Promise<unknown>): Promise<number> {
  try {
    await call;
    return 200;
  } catch (error) {
    if (error instanceof Refusal) return error.problem.status;
    throw error;
  }
}

/** A tenant and an API key of it that may do everything. */
export interface Resident {
  readonly tenantId: string;
  readonly apiKeyId: string;
  readonly token: string;
}

export async function settle(service: Service, name: string, fields: TenantFields = {}): Promise<Resident> {
  const { tenant_id: tenantId } = await createTenant(service, { envelope_only: false, ...fields, name });
  const { api_key_id: apiKeyId, api_key: token } = await createApiKey(
    service,
    insider(tenantId, 'operator'),
    { name: 'everything', permissions: [...permissions] },
  );
  return { tenantId, apiKeyId, token };
}

export const dek = Buffer.alloc(32, 7).toString('base64');

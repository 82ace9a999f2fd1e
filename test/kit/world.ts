import { randomBytes } from 'node:crypto';
import { endpoints, type Input, type Output, permissions, type Route } from '@eaas/protocol/wire';
import { insider, type Plugin, Refusal, rootKey, type Roots } from '@eaas/service';
import { serveHttp } from '../../packages/server/src/app/serve.ts';
import { operations } from '../../packages/server/src/operator/operations.ts';
import { createTenant, type TenantSettings } from '../../packages/server/src/operator/tenants.ts';
import { KeyHosts } from '../../packages/server/src/plugins/key-hosts.ts';
import { createService, type Service, type ServiceOptions } from '../../packages/server/src/app/service.ts';
import { Database } from '../../packages/server/src/postgres/database.ts';
import { openPool } from '../../packages/server/src/postgres/sql.ts';
import { called } from './called.ts';
import { closing } from './closing.ts';
import { requireNoContradiction } from './contradictions.ts';
import { createDatabase, migrated, type PostgresAddress } from './database.ts';

export type World = Awaited<ReturnType<typeof openWorld>>;

export async function openWorld(
  start: string,
  postgres?: Promise<PostgresAddress>,
  root: Uint8Array = randomBytes(32),
) {
  const database = await createDatabase(migrated, postgres);
  const superuser = openPool(database.connection('superuser'), 1);
  let time = Date.parse(start);
  const setTime = async (): Promise<unknown> =>
    superuser.unsafe(
      `create or replace function eaas.now_ms() returns bigint language sql volatile return ${time}::bigint`,
    );
  let timeIsSet = setTime();
  class TimedDatabase extends Database {
    override async run<T>(...all: Parameters<Database['run']>): Promise<T> {
      await timeIsSet;
      return (await super.run(...all)) as T;
    }
  }
  const connections = new TimedDatabase(database.connection('server'), 6);
  const steps: (() => Promise<void>)[] = [];
  const roots = [rootKey(root)] as const;
  const clock = { now: () => time, learn: () => {} };
  function replica(
    own: Database = connections,
    keyHosts = new KeyHosts([]),
    ownRoots: Roots = roots,
    plugins: readonly Plugin[] = [],
  ): Service {
    return replicaWith({ database: own, roots: ownRoots, keyHosts, plugins });
  }
  function replicaWith(options: Partial<ServiceOptions>): Service {
    const service = createService({ database: connections, roots, wallClock: clock.now, ...options });
    Object.assign(service.ledger.clock, clock);
    return service;
  }
  return {
    database,
    roots,
    replica,
    replicaWith,
    /** The time of the database and of all replicas, in milliseconds since 1970. */
    get time() {
      return time;
    },
    set time(value) {
      time = value;
      timeIsSet = timeIsSet.then(setTime);
    },
    async serve(replica: Service) {
      const state = { jobs: [], verified: undefined };
      const { app } = serveHttp(replica, state, { log: { write: () => {} } });
      steps.push(() => app.close());
      return app.listen({ port: 0, host: '127.0.0.1' });
    },
    onClose: (step: () => Promise<void>) => void steps.push(step),
    close: async () => {
      for (const step of steps) await step();
      const heads = await superuser.unsafe<{ tenant_id: string }[]>('select tenant_id from eaas.audit_heads');
      const ids = heads.map(({ tenant_id }) => tenant_id);
      try {
        await requireNoContradiction(replica(), ids);
      } finally {
        await connections.close();
        await superuser.end();
        await database.drop();
      }
    },
  };
}

/** A world that the tests of a file share. */
export function testWorld(
  start = '2026-09-01T00:00:00Z',
  postgres?: Promise<PostgresAddress>,
  root?: Uint8Array,
): Promise<World> {
  return closing(openWorld(start, postgres, root), (world) => world.close());
}

export type Api = <R extends Route>(route: R, input: Input<R>) => Promise<Output<R>>;

export function apiOf(service: Service, token: string): Api {
  return async (route, input) => {
    const authorization = `Bearer ${token}`;
    const { answer } = await called(service, { route, authorization }, () => input as object);
    return endpoints[route].output.parse(answer) as Output<typeof route>;
  };
}

export async function statusOf(call: Promise<unknown>): Promise<number> {
  try {
    await call;
    return 200;
  } catch (error) {
    if (error instanceof Refusal) return error.problem.status;
    throw error;
  }
}

export type Resident = Awaited<ReturnType<typeof settle>>;

export async function settle(service: Service, name: string, fields: TenantSettings = {}) {
  const { tenant_id: tenantId } = await createTenant(service, { envelope_only: false, ...fields, name });
  const { api_key_id: apiKeyId, api_key: token } = await operations['POST /v1/api-keys'](
    service,
    insider(tenantId, 'operator'),
    { name: 'everything', permissions: [...permissions] },
  );
  return { tenantId, apiKeyId, token };
}

export const dek = Buffer.alloc(32, 7).toString('base64');

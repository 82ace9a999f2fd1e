import { EaasClient } from '@eaas/sdk';
import postgres from 'postgres';
import { openDoors } from '../../packages/server/src/http/doors.ts';
import { createApp } from '../../packages/server/src/http/app.ts';
import { createDatabase } from '../setup/database.ts';
import { openWorld, settle } from '../setup/world.ts';

/** The real service over HTTP, and a separate database for the app. */
export interface ServiceAndTable {
  readonly sql: postgres.Sql;
  /** Options for clients of the tenant. */
  readonly options: { readonly baseUrl: string; readonly apiKey: string };
  /** Creates a client with a new key. */
  readonly connect: () => Promise<{ readonly client: EaasClient; readonly keyId: string }>;
  readonly close: () => Promise<void>;
}

export async function openServiceAndTable(): Promise<ServiceAndTable> {
  const world = await openWorld(new Date().toISOString());
  const database = await createDatabase();
  const sql = postgres({ ...database.connection('owner'), max: 4, onnotice: () => {} });
  const service = world.replica();
  const { token: apiKey } = await settle(service, 'acme');
  const app = createApp(openDoors(service, { draining: false, jobs: [], verified: undefined }), {
    log: { write: () => {} },
  });
  const options = { baseUrl: await app.listen({ port: 0, host: '127.0.0.1' }), apiKey };
  let keys = 0;
  return {
    sql,
    options,
    async connect() {
      const { key_id: keyId } = await new EaasClient(options).keys.create({ name: `key ${keys++}` });
      return { client: new EaasClient({ ...options, keyId }), keyId };
    },
    async close() {
      await app.close();
      await sql.end();
      await database.drop();
      await world.close();
    },
  };
}

import { EaasClient } from '@eaas/sdk';
import postgres from 'postgres';
import { createDatabase } from '@eaas/test-kit/database';
import { openWorld, settle } from '@eaas/test-kit/world';

export type ServiceAndTable = Awaited<ReturnType<typeof openServiceAndTable>>;

export async function openServiceAndTable() {
  const world = await openWorld(new Date().toISOString());
  const database = await createDatabase();
  const connection = database.connection('owner');
  const sql = postgres({ ...connection, max: 4, onnotice: () => {} });
  const service = world.replica();
  const { token: apiKey } = await settle(service, 'acme');
  const options = { baseUrl: await world.serve(service), apiKey };
  let keys = 0;
  return {
    sql,
    /** For a process of its own. */
    connection,
    options,
    async connect() {
      const { key_id: keyId } = await new EaasClient(options).keys.create({ name: `key ${keys++}` });
      return { client: new EaasClient({ ...options, keyId }), keyId };
    },
    /** Another client of a key, which remembers no data key. */
    connectTo: async (keyId: string) => ({ client: new EaasClient({ ...options, keyId }), keyId }),
    async close() {
      await sql.end();
      await database.drop();
      await world.close();
    },
  };
}

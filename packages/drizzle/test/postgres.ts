import postgres from 'postgres';
import { closing } from '@eaas/test-kit/closing';
import { createDatabase } from '@eaas/test-kit/database';

/** Opens a database that the tests of a file share. */
export async function openPostgres() {
  const database = await createDatabase();
  const pool = postgres({ ...database.connection('owner'), max: 2, onnotice: () => {} });
  return { database, connection: await closing(pool, (it) => it.end()) };
}

import { createDatabase } from '@eaas/test-kit/database';
import { closing } from '@eaas/test-kit/closing';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { expect, test } from 'vitest';
import { readCatalogue } from '../catalogue.ts';
import { tenantFunctions } from '../functions.ts';
import { openPool } from '../sql.ts';
import { stepFiles } from './index.ts';

const embedded = async () => closing(await OwnPostgres.start('embedded', false), (it) => it.drop());

test.each([
  ['the PostgreSQL of these tests', () => createDatabase()],
  ['the PostgreSQL of `eaas dev`', embedded],
])('steps/catalogue.json is what the steps make on %s', async (_, open) => {
  const sql = await closing(openPool((await open()).connection('owner'), 1), (it) => it.end());
  await sql`create schema eaas`;
  for (const file of stepFiles) await sql.file(file);
  await sql.unsafe(tenantFunctions(await readCatalogue(sql)));
  // After a new step, `npx vitest run packages/server/src/postgres/steps -u` writes it.
  const text = `${JSON.stringify(await readCatalogue(sql), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('./catalogue.json');
});

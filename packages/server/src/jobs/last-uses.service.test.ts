import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { migrated, createDatabase } from '@eaas/test-kit/database';
import { Database } from '../postgres/database.ts';
import { recordLastUses } from './last-uses.ts';

const time = 1_000 * 60_000;
const tenantId = randomUUID();
const apiKeyId = randomUUID();

test('the usage job stores the last use of an API key even if the previous run failed', async () => {
  const place = await createDatabase(migrated);
  const database = await closing(new Database(place.connection('server')), (it) => it.close());
  await database.run(async (sql) => {
    await sql`insert into eaas.tenants values (${tenantId}, 'acme', true, null, 0, '', '', 0, '')`;
    await sql`
      insert into eaas.api_keys (api_key_id, tenant_id, name, hint, token_hash, permissions, created_at, created_by,
        created_id, rev, mac)
      values (${apiKeyId}, ${tenantId}, '', '', '', '{}', 0, '', 0, 0, '')`;
  });
  const broken = new Database({ host: '/nowhere', port: 5432, database: 'eaas', username: 'eaas_server' });
  const uses = new Map([[apiKeyId, { tenantId, time }]]);
  await expect(recordLastUses({ uses, database: broken })).rejects.toMatchObject({ code: 'ENOENT' });
  await recordLastUses({ uses, database });
  await broken.close();
  const stored = await database.run((sql) => sql`select last_used_at from eaas.api_key_uses`.values());
  expect(stored).toEqual([[time]]);
});

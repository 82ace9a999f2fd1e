import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../../../../../test/setup/database.ts';
import { migrated } from '../../../../../test/setup/migrated.ts';
import type { TenantSecrets } from '../../crypto/key-hierarchy.ts';
import { Database } from '../../store/database.ts';
import { unhurried, walkEntries } from './entries.ts';
import { Findings } from './report.ts';

const entries = 20_000;
const key = createSecretKey(randomBytes(32));
const secrets: TenantSecrets = { sealing: key, auditMac: key, rowMac: key, checkpointSeed: key };

let place: TestDatabase;
let database: Database;
beforeEach(async () => {
  place = await createDatabase(migrated);
  database = new Database(place.connection('server'), 2);
});
afterEach(async () => {
  await database.close();
  await place.drop();
});

test('others use the connections that a walk leaves them, and none of them fails', async () => {
  const tenantId = randomUUID();
  await database.run(
    (sql) => sql`
      insert into eaas.audit_entries (tenant_id, id, action, actor, metadata, created_at, hash, mac)
      select ${tenantId}, id, 'encrypt', 'operator', '{}', 0, sha256('a'), sha256('b') from generate_series(1, ${entries}) id`,
    20_000,
  );
  const walk = { next: 1, previous: undefined, previousTime: 0, checked: 0 };
  const done = new AbortController();
  const walked = walkEntries(database, tenantId, secrets, walk, entries, new Findings(), unhurried);
  const others = Array.from({ length: 8 }, async () => {
    while (!done.signal.aborted) await database.run((sql) => sql`select 1`);
  });
  await walked.finally(() => done.abort());
  await Promise.all(others);
  expect(walk.checked).toBe(entries);
});

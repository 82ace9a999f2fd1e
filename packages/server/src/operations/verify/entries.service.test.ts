import { ChainWalk } from '@eaas/protocol/internal-audit';
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { migrated, testDatabase } from '@eaas/test-kit/database';
import { Turns } from '../../admission/turns.ts';
import type { TenantSecrets } from '../../crypto/key-hierarchy.ts';
import { Database } from '../../store/database.ts';
import { rawEntries } from '../../store/audit-entries.ts';
import { walkEntries } from './entries.ts';
import { Findings, unhurried } from './report.ts';

const entries = 20_000;
const key = createSecretKey(randomBytes(32));
const secrets: TenantSecrets = {
  sealing: key,
  auditMac: key,
  rowMac: key,
  checkpointSeed: key,
  subjects: key,
  users: key,
};

let database: Database;
beforeEach(async () => {
  const place = await testDatabase(migrated);
  database = await closing(new Database(place.connection('server'), 2), (it) => it.close());
});

test('queries on other database connections succeed while audit entries are verified', async () => {
  const tenantId = randomUUID();
  await database.run(
    (sql) => sql`
      insert into eaas.audit_entries (tenant_id, id, action, actor, metadata, created_at, hash, mac)
      select ${tenantId}, id, 'encrypt', 'operator', '{}', 0, sha256('a'), sha256('b') from generate_series(1, ${entries}) id`,
    20_000,
  );
  const walk = Object.assign(new ChainWalk<Uint8Array>({ next: 1, previous: undefined }), { latest: 0 });
  const done = new AbortController();
  const inspection = { database, turns: new Turns(), tenantId, findings: new Findings(), ...unhurried };
  const walked = walkEntries(inspection, secrets, walk, entries);
  const others = Array.from({ length: 8 }, async () => {
    while (!done.signal.aborted) await database.run((sql) => sql`select 1`);
  });
  await walked.finally(() => done.abort());
  await Promise.all(others);
  expect(walk.checked).toBe(entries);
});

test('the verification reads long entries in pages of limited size', async () => {
  const tenantId = randomUUID();
  await database.run(
    (sql) => sql`
      insert into eaas.audit_entries (tenant_id, id, action, actor, metadata, created_at, hash, mac)
      select ${tenantId}, id, 'encrypt', 'operator', case when id <= 1000 then '{}' else repeat('x', 40000) end, 0,
        sha256('a'), sha256('b') from generate_series(1, 1300) id`,
    20_000,
  );
  const { rows, isCut } = await database.snapshot((tx) => rawEntries(tx, tenantId, 1, 1_300));
  expect([rows.length, isCut]).toEqual([1_105, true]);
  const walk = Object.assign(new ChainWalk<Uint8Array>({ next: 1, previous: undefined }), { latest: 0 });
  const findings = new Findings();
  const inspection = { database, turns: new Turns(), tenantId, findings, ...unhurried };
  await walkEntries(inspection, secrets, walk, 1_300);
  expect(walk.checked).toBe(1_300);
  expect(findings.first.map(({ reason }) => reason)).not.toContain('entry_missing');
});

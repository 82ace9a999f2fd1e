import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiOf, openWorld, settle, type World } from '../../../../test/setup/world.ts';
import { findHead } from './heads.ts';
import { findKeyVersions } from './keys.ts';
import { openPool, type Sql, type Transaction } from './sql.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld('2026-09-01T00:00:00Z');
});
afterAll(() => world.close());

/** From the sixth execution, PostgreSQL can use one plan for all values. It keeps this plan while the table grows. */
const untilPlanIsKept = 8;

test('a statement that was planned for an almost empty table does not read all rows of a larger table', async () => {
  const service = world.replica();
  const { tenantId, token } = await settle(service, 'ann');
  const api = apiOf(service, token);
  const { key_id: keyId } = await api('POST /v1/keys', { name: 'first' });
  const pool = openPool(world.database.connection('superuser'), 1);
  world.onClose(() => pool.end());
  const readOne = async (sql: Sql) => {
    const head = await findHead(sql, tenantId, 1);
    const versions = await findKeyVersions(sql, tenantId, [keyId], []);
    return [head?.known_hash?.length, versions.length];
  };
  for (let nth = 0; nth < untilPlanIsKept; nth++) await readOne(pool);

  for (let nth = 0; nth < 100; nth++) await api('POST /v1/keys', { name: `key ${nth}` });

  await pool.begin(async (tx) => {
    const before = await rowsRead(tx);
    expect(await readOne(tx)).toEqual([32, 1]);
    const after = await rowsRead(tx);
    expect(after.map(({ table, rows }, nth) => [table, rows - (before[nth]?.rows ?? 0)])).toEqual([
      ['audit_entries', 1],
      ['key_versions', 1],
    ]);
  });
});

function rowsRead(tx: Transaction) {
  return tx<{ table: string; rows: number }[]>`
    select relname as table, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as rows
    from pg_stat_xact_user_tables where relname in ('audit_entries', 'key_versions') order by relname`;
}

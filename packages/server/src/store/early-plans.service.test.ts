import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { migrated, testDatabase } from '@eaas/test-kit/database';
import { findApiKey, findApiKeyByToken, lastUses, listApiKeys, recordUses } from './api-keys.ts';
import {
  countEntries,
  countOfPerson,
  entriesOfPerson,
  entryAt,
  firstEntrySince,
  listEntries,
  newestEntries,
  storedRange,
} from './audit-entries.ts';
import { Database } from './database.ts';
import { findTokenTenants } from './directories.ts';
import { findHead } from './heads.ts';
import { countKeys, findKeys, findKeyVersions, keyTable, listKeys, nameIsTaken } from './keys.ts';
import { apiKeyPage, keyPage, versionsOf } from './row-pages.ts';
import { changedRows, insertRow, updateRow } from './rows.ts';
import type { Sql, Transaction } from './sql.ts';
import { findTenantByName } from './tenants.ts';
import { countNext, uncountedTenants, versionUses } from './usage.ts';

const tenantId = '00000000-0000-4000-8000-000000000000';
const keyId = (nth: number) => `00000000-0000-4001-8000-${String(nth).padStart(12, '0')}`;
const apiKeyId = (nth: number) => `00000000-0000-4002-8000-${String(nth).padStart(12, '0')}`;
const keyIds = [1, 2, 3].map(keyId);
const token = Buffer.alloc(32, 1);

const few = 3;
const many = 2_000;
/** No statement of the tests finds more rows than this. Index entries and rows are counted separately. */
const mostRead = 100;
/** From the sixth execution, PostgreSQL can use one plan for all values. It keeps this plan while the table grows. */
const untilPlanIsKept = 8;

type Read = (tx: Transaction) => Promise<unknown>;

const page = { limit: 10, offset: 0 };
const atMost = 20;
const [busy, rare] = ['a', 'b'].map((digit) => digit.repeat(32)) as [string, string];
/** Half of the entries are of the busy people, and one of 500 is of the rare ones. */
const metadata = (nth: string): string => `case
  when ${nth} % 500 = 7 then '{"subject":"${rare}","user":"${rare}","user_asserted":true}'
  when ${nth} % 500 = 8 then '{"subject":"${busy}","user":"${rare}","user_asserted":true}'
  when ${nth} % 2 = 0 then '{"subject":"${busy}","user":"${busy}","user_asserted":true}'
  else '{}' end`;
const ofPeople = [
  { subject: busy },
  { subject: rare },
  { user: busy },
  { user: rare },
  { subject: busy, user: rare },
];
const people: Record<string, Read> = Object.fromEntries(
  ofPeople.flatMap((wanted) => {
    const [who, filter] = [JSON.stringify(wanted), { ...wanted, first: 1, last: 1_000_000 }];
    return [
      [`entries of ${who}`, (tx: Sql) => entriesOfPerson(tx, tenantId, filter, page)],
      [
        `entries of ${who} before an id`,
        (tx: Sql) => entriesOfPerson(tx, tenantId, { ...filter, last: 1_000 }, page),
      ],
      [`the number of entries of ${who}`, (tx: Sql) => countOfPerson(tx, tenantId, filter, atMost)],
    ];
  }),
);
const list = (filter: Partial<Parameters<typeof listKeys>[2]>) => (tx: Sql) =>
  listKeys(tx, tenantId, { among: null, ...filter }, page);
const audit = (filter: Parameters<typeof listEntries>[2]) => (tx: Sql) =>
  listEntries(tx, tenantId, filter, page);

/** Each of these statements can use only one index, so each reads few rows from its first execution. */
const lookups: Record<string, Read> = {
  'the head': (tx) => findHead(tx, tenantId, 1),
  keys: (tx) => findKeys(tx, tenantId, keyIds),
  'versions of keys': (tx) => findKeyVersions(tx, tenantId, [keyId(1)], [{ keyId: keyId(2), keyVersion: 1 }]),
  'an API key': (tx) => findApiKey(tx, tenantId, apiKeyId(1)),
  'the API key of a token': (tx) => findApiKeyByToken(tx, tenantId, token),
  'the tenants of tokens': (tx) => findTokenTenants(tx, [token.toString('hex'), 'ff'.repeat(32)]),
  'an entry': (tx) => entryAt(tx, tenantId, 5),
  'keys of a status': list({ status: 'active' }),
  'keys of an API key': list({ among: keyIds }),
  'keys of an API key and a status': list({ among: keyIds, status: 'active' }),
  'the number of keys of an API key': (tx) => countKeys(tx, tenantId, { among: keyIds, status: 'active' }),
  'a page of the verified keys': (tx) => keyPage(tx, tenantId, { after: keyId(0), through: keyId(3) }),
};

/** These statements read few rows after their early plans were discarded. */
const others: Record<string, Read> = {
  ...lookups,
  'a page of keys': list({}),
  'a page of API keys': (tx) => listApiKeys(tx, tenantId, page),
  'keys of a name': list({ name: 'key 1' }),
  'keys of a name and a status': list({ name: 'key 1', status: 'active' }),
  'whether a name is taken': (tx) => nameIsTaken(tx, tenantId, 'key 1'),
  'the number of keys of a name': (tx) => countKeys(tx, tenantId, { among: null, name: 'key 1' }),
  'uses of API keys': (tx) => lastUses(tx, tenantId, [{ api_key_id: apiKeyId(1) }]),
  'the record of a use': (tx) =>
    recordUses(tx, [{ api_key_id: apiKeyId(1), tenant_id: tenantId, last_used_at: 1 }]),
  'uses of versions': (tx) => versionUses(tx, tenantId, keyId(1), page),
  'the changed rows': (tx) => changedRows(tx, tenantId, 5, 10),
  'a change of a key': async (tx) => {
    const [key] = await findKeys(tx, tenantId, [keyId(1)]);
    if (key) await updateRow(tx, keyTable, { ...key, rev: 1_000_000 });
  },
  'a new key': async (tx) => {
    const [key] = await findKeys(tx, tenantId, [keyId(1)]);
    if (key) await insertRow(tx, keyTable, { ...key, key_id: keyId(0), name: 'new', created_id: 0 });
  },
  'a tenant of a name': (tx) => findTenantByName(tx, 'tenant'),
  'entries of a key': audit({ keyId: keyId(1) }),
  'entries of an action': audit({ action: 'key.rotate' }),
  'entries of a key and a time': audit({ keyId: keyId(2), from: 1, to: 3 }),
  'entries of an action and a time': audit({ action: 'key.wrap', from: 1, to: 3 }),
  'the number of entries of a key': (tx) => countEntries(tx, tenantId, { keyId: keyId(1) }),
  ...people,
  'the newest entries': (tx) => newestEntries(tx, tenantId, 1, 50, 10),
  'the first entry since a time': (tx) => firstEntrySince(tx, tenantId, 1, { first: 1, last: many }),
  'the first and the last entry': (tx) => storedRange(tx, tenantId),
  'entries to count': (tx) => countNext(tx, tenantId, 20),
  'tenants to count': (tx) => uncountedTenants(tx),
  'the verified versions': (tx) => versionsOf(tx, tenantId, keyIds.slice(1)),
  'a page of the verified API keys': (tx) =>
    apiKeyPage(tx, tenantId, { after: apiKeyId(0), through: apiKeyId(3) }),
};

let now = performance.now();
vi.spyOn(performance, 'now').mockImplementation(() => now);
const place = await testDatabase(migrated);
const admin = await closing(new Database(place.connection('superuser'), 1), (it) => it.close());
const early = await closing(new Database(place.connection('superuser'), 1), (it) => it.close());
afterAll(() => void vi.restoreAllMocks());
await admin.run(async (sql) => {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'eaas'::regnamespace and relkind = 'r'`;
  for (const { name } of tables) await sql`alter table eaas.${sql(name)} set (autovacuum_enabled = false)`;
});
await fill(1, few);
for (const read of Object.values(others)) {
  for (let nth = 0; nth < untilPlanIsKept; nth++) await rowsRead(read);
}
await fill(few + 1, many);

/** The first key has many versions, and the second key has almost all entries. */
async function fill(first: number, last: number): Promise<void> {
  const keyOf = "('00000000-0000-4001-8000-' || lpad(nth::text, 12, '0'))::uuid";
  const apiKeyOf = "('00000000-0000-4002-8000-' || lpad(nth::text, 12, '0'))::uuid";
  const tenant = `'${tenantId}'::uuid`;
  const from = `from generate_series(${first}, ${last}) nth`;
  await admin.run(
    (sql) =>
      sql.unsafe(`
    insert into eaas.tenants select ${tenant}, 'tenant', false, null, 1, '', '', 0, '' where ${first} = 1;
    insert into eaas.tenant_names select 'tenant', ${tenant} where ${first} = 1;
    insert into eaas.tenants select gen_random_uuid(), 'tenant ' || nth, false, null, 1, '', '', 0, '' ${from};
    insert into eaas.audit_heads (tenant_id, id, hash, state_id, state_hash, created_at, month, encrypts, mac, uncounted)
      select tenant_id, ${many}, '', 5, '', 1, '', 0, '', tenant_id = ${tenant} from eaas.tenants on conflict do nothing;
    insert into eaas.keys (key_id, tenant_id, name, key_version, status, exportable, intake, subjects, created_at, created_id, rev, mac)
      select ${keyOf}, ${tenant}, 'key ' || nth, 1, 'active', false, false, 'optional', 1, 2 * nth, 2 * nth, '' ${from};
    insert into eaas.key_versions select ${tenant}, ${keyOf}, 1, 1, '' ${from};
    insert into eaas.key_versions select ${tenant}, '${keyId(1)}', 1 + nth, 1, '' ${from};
    insert into eaas.key_version_uses select tenant_id, key_id, key_version, 1, 1 from eaas.key_versions
      on conflict do nothing;
    insert into eaas.api_keys (api_key_id, tenant_id, name, hint, token_hash, permissions, created_at, created_by,
        created_id, rev, mac)
      select ${apiKeyOf}, ${tenant}, '', '', sha256(nth::text::bytea), '{}', 1, '', 2 * nth + 1, 2 * nth + 1, '' ${from};
    insert into eaas.token_directory (token_hash, tenant_id) select sha256(nth::text::bytea), ${tenant} ${from};
    insert into eaas.api_key_uses select ${tenant}, ${apiKeyOf}, 1 ${from};
    insert into eaas.row_records select ${tenant}, ${keyOf}, 2 * nth ${from};
    insert into eaas.row_records select ${tenant}, ${apiKeyOf}, 2 * nth + 1 ${from};
    insert into eaas.audit_entries (tenant_id, id, action, key_id, key_version, actor, metadata, created_at, hash, mac)
      select ${tenant}, nth, case when nth % 200 = 2 then 'key.rotate' else 'key.wrap' end,
        case when nth = 1 then '${keyId(1)}' else '${keyId(2)}' end::uuid, 1, '', ${metadata('nth')}, nth / 10, '', '' ${from}`),
    20_000,
  );
}

/** Runs the statement in a transaction, and returns the number of rows and index entries that it read. */
async function rowsRead(read: Read): Promise<number> {
  let rows = 0;
  const done = new Error('done');
  const work = early.transaction(async (tx) => {
    const before = await readSoFar(tx);
    await read(tx);
    rows = (await readSoFar(tx)) - before;
    throw done;
  });
  await expect(work).rejects.toBe(done);
  return rows;
}

async function readSoFar(tx: Transaction): Promise<number> {
  const [row] = await tx<{ rows: number }[]>`
    select sum(pg_stat_get_xact_tuples_returned(oid)
      + case relkind when 'r' then pg_stat_get_xact_tuples_fetched(oid) else 0 end)::bigint as rows
    from pg_class where relnamespace = 'eaas'::regnamespace and relkind in ('r', 'i')`;
  return row?.rows ?? 0;
}

describe('a statement that was planned for an almost empty table does not read all rows of a larger table', () => {
  test.for(Object.entries(lookups))('%s', async ([, read]) => {
    expect(await rowsRead(read)).toBeLessThan(mostRead);
  });
});

describe('five seconds later, each statement is planned for the larger tables', () => {
  beforeAll(() => {
    now += 5_000;
  });

  test.for(Object.entries(others))('%s', async ([, read]) => {
    expect(await rowsRead(read)).toBeLessThan(mostRead);
  });
});

describe('a log of 100,000 entries', () => {
  const length = 100_000;

  beforeAll(async () => {
    await admin.run(
      (sql) =>
        sql.unsafe(`
      insert into eaas.audit_entries (tenant_id, id, action, key_id, key_version, actor, metadata, created_at, hash, mac)
        select '${tenantId}', nth, 'key.wrap', '${keyId(2)}', 1, '', ${metadata('nth')}, nth / 10, '', ''
        from generate_series(${many + 1}, ${length}) nth;
      analyze eaas.audit_entries`),
      60_000,
    );
    now += 5_000;
  });

  test.for(Object.entries(people))('is not read for %s', async ([, read]) => {
    expect(await rowsRead(read)).toBeLessThan(mostRead);
  });
});

import type { Input, Route } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { verifyTenant } from '@eaas/service';
import { alternatives } from '@eaas/test-kit/alternatives';
import { openAttacker, type Table, tables, unbind } from '@eaas/test-kit/attacker';
import { people, populate } from '@eaas/test-kit/populated';
import { apiOf, dek, statusOf, testWorld } from '@eaas/test-kit/world';

const identity = {
  tenants: ['tenant_id'],
  audit_heads: ['tenant_id'],
  audit_entries: ['tenant_id', 'id'],
  audit_anchors: ['tenant_id'],
  keys: ['key_id'],
  key_versions: ['key_id', 'key_version'],
  api_keys: ['api_key_id'],
  issuers: ['issuer_id'],
  subjects: ['subject_id'],
} satisfies Partial<Record<Table, string[]>>;

type Bound = keyof typeof identity;
const bound = Object.keys(identity) as Bound[];

/** What lies beside the log, and neither verify nor a call's answer depends on. */
const unbound: Partial<Record<string, string>> = {
  'audit_entries.nonce': 'only tells the replica that wrote the entry whether its lost answer was a commit',
};

const apart: Partial<Record<string, string>> = {
  key_sets: 'is public keys with a MAC each, which are fetched again',
  migrations: 'belongs to the owner; the server only reads the latest migration',
  root_checks: 'a changed row stops the next start',
  verifications: 'has its own MAC; `eaas audit verify` proves a chain',
  tallies: 'counted aside',
  row_counts: 'counted aside',
  api_key_uses: 'noted aside',
  row_records: 'is compared with each loaded row, not with the log',
  leases: 'only prevents that replicas do the same work',
  log_keys: 'belongs to the public log, which is signed and witnessed',
  log_tiles: 'belongs to the public log; a moment recomputes the root before it signs',
  log_moments: 'belongs to the public log, which is signed and witnessed',
  log_proofs: 'belongs to the public log; whoever verifies a proof recomputes it',
};

const world = await testWorld('2019-03-01T00:00:00Z');
const attacker = await openAttacker(world);
const [ann, ben] = await populate(world, attacker, people);
await unbind(attacker);

test('the verification checks every table, except the tables that this test lists', async () => {
  const found = await attacker.sql`
    select table_name from information_schema.tables where table_schema = 'eaas'`;
  const named = new Set([...bound, ...Object.keys(apart)]);
  expect(new Set(found.map((row) => row['table_name']))).toEqual(named);
  expect(new Set([...tables, 'migrations'])).toEqual(named);
});

test('verify has no findings before the database is changed', async () => {
  for (const { tenantId } of [ann, ben]) {
    expect(await verifyTenant(world.replica(), tenantId)).toMatchObject({ valid: true, errors: [] });
  }
});

interface Column {
  readonly name: string;
  readonly type: string;
}

type Row = Readonly<Record<string, string | null>>;

async function columnsOf(table: Table): Promise<Column[]> {
  const rows = await attacker.sql<Column[]>`
    select attname as name, format_type(atttypid, null) as type from pg_attribute
    where attrelid = ${`eaas.${table}`}::regclass and attnum > 0 and not attisdropped order by attnum`;
  return [...rows];
}

async function rowsOf(table: Bound, columns: readonly Column[]): Promise<Row[]> {
  const list = columns.map(({ name }) => `${name}::text`).join(', ');
  return attacker.sql.unsafe<Row[]>(
    `select ${list} from eaas.${table} as one order by tenant_id = '${ann.tenantId}' desc, one`,
  );
}

const everywhere = new Set(['metadata', 'permissions', 'rev']);

async function changesOf(table: Bound): Promise<{ row: Row; column: Column; value: string | null }[]> {
  const columns = await columnsOf(table);
  const all = await rowsOf(table, columns);
  const rows = all.filter((row) => row['tenant_id'] === ann.tenantId);
  return columns.flatMap((column) =>
    rows.flatMap((row, nth) => {
      const { name, type } = column;
      const values = alternatives(name, type, row[name] ?? null);
      // Columns in `everywhere` get each value in every row. To save time, other columns get each value in one row.
      const chosen = everywhere.has(name) ? values : values.filter((_, at) => at % rows.length === nth);
      const others = all.slice(nth + 1, nth + 2).map((other) => other[name] ?? null);
      const changed = new Set([...chosen, ...others].filter((value) => value !== row[name]));
      return Array.from(changed, (value) => ({ row, column, value }));
    }),
  );
}

async function apply(table: Bound, row: Row, { name, type }: Column, value: string | null): Promise<void> {
  const { sql } = attacker;
  const where = identity[table].map((key) => `${key}::text = '${row[key]}'`).join(' and ');
  const done = await sql.unsafe(
    `update eaas.${table} set ${name} = $1::text::${type} where ${where}
     and tenant_id = '${ann.tenantId}'`,
    [value],
  );
  if (done.count !== 1)
    throw new Error(`the update must change exactly one row of ${table} (changed ${done.count})`);
}

test.each(bound)(
  'any change of one column of %s is found, and what needs the row is refused',
  async (table) => {
    const unnoticed = new Set<string>();
    const answered: string[] = [];
    for (const { row, column, value } of await changesOf(table)) {
      await apply(table, row, column, value);
      const place = `${table}.${column.name}`;
      const { valid } = await verifyTenant(world.replica(), ann.tenantId);
      if (valid !== false) unnoticed.add(place);
      const wrong = place in unbound ? [] : await wronglyAnswered[table](row, column.name);
      const change = `${place} from ${row[column.name]} to ${value?.slice(0, 40)}`;
      answered.push(...wrong.map((status) => `${change}: ${status}`));
      await attacker.restore('now');
    }
    expect([...unnoticed]).toEqual(Object.keys(unbound).filter((place) => place.startsWith(`${table}.`)));
    expect(answered).toEqual([]);
  },
);

const wronglyAnswered: Record<Bound, (row: Row, column: string) => Promise<number[]>> = {
  tenants: () => unless([503], [call('GET /v1/keys', {})]),
  audit_heads: async (_, column) => [
    ...(await unless([503], [call('GET /v1/keys', {})])),
    // Without a head, only the operator verifies.
    ...(await unless([column === 'tenant_id' ? 503 : 200], [call('GET /v1/audit/verify', {})])),
  ],
  // `GET /v1/audit` returns a changed entry with 200, or 503 if the changed entry is malformed.
  audit_entries: () => unless([200, 503], [call('GET /v1/audit', {})]),
  audit_anchors: (_, column) =>
    unless(column === 'tenant_id' ? [200, 503] : [503], [call('GET /v1/audit', {})]),
  keys(row, column) {
    const key_id = String(row['key_id']);
    // The service does not find a key whose id or tenant was changed.
    return unless(column === 'key_id' || column === 'tenant_id' ? [404] : [503], [
      call('GET /v1/keys/:key_id', { key_id }),
      call('POST /v1/keys/:key_id/wrap', { key_id, dek }),
    ]);
  },
  async key_versions(row, column) {
    const { busy: key_id, wrapped: wrapped_key } = ann;
    // The time is only displayed, and no call needs the second version.
    if (row['key_id'] !== key_id || column === 'created_at' || row['key_version'] === '2') return [];
    const needing =
      row['key_version'] === '1'
        ? call('POST /v1/keys/:key_id/unwrap', { key_id, wrapped_key })
        : call('POST /v1/keys/:key_id/wrap', { key_id, dek });
    return unless([503], [needing]);
  },
  api_keys(row) {
    const holder = [ann, ann.limited, ann.quietApiKey, ann.revoked].find(
      ({ apiKeyId }) => apiKeyId === row['api_key_id'],
    );
    return unless([401], [call('POST /v1/hash', { key_id: ann.busy, value: '' }, holder?.token)]);
  },
  issuers(row, column) {
    const showing = call('GET /v1/issuers/:issuer_id', { issuer_id: String(row['issuer_id']) });
    return unless(column === 'issuer_id' || column === 'tenant_id' ? [404] : [503], [showing]);
  },
  subjects(row, column) {
    const showing = call('POST /v1/subjects/show', { subject_id: String(row['subject_id']).slice(2) });
    // The service does not find a subject whose id or tenant was changed.
    return unless(column === 'subject_id' || column === 'tenant_id' ? [404] : [503], [showing]);
  },
};

function call<R extends Route>(route: R, input: Input<R>, token = ann.token): Promise<unknown> {
  return apiOf(world.replica(), token)(route, input);
}

async function unless(allowed: readonly number[], calls: readonly Promise<unknown>[]): Promise<number[]> {
  const statuses = await Promise.all(calls.map(statusOf));
  return statuses.filter((status) => !allowed.includes(status));
}

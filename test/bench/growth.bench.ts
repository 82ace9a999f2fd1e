// Calls on a large database beside the same calls on a small one: what a tenant has, or how many tenants there are, must not
// slow anybody.
import { randomBytes, randomUUID } from 'node:crypto';
import {
  add,
  insider,
  keyDraft,
  keys,
  keyVersions,
  type Part,
  settle as decide,
  verifyTenant,
} from '@eaas/service';
import type postgres from 'postgres';
import type { Service } from '../../packages/server/src/app/service.ts';
import { settleDueKeys } from '../../packages/server/src/jobs/due-keys.ts';
import { foldTallies } from '../../packages/server/src/jobs/fold-tallies.ts';
import { purge } from '../../packages/server/src/jobs/purge.ts';
import { nightAt, recordNight, verifyNightly } from '../../packages/server/src/jobs/verify-nightly.ts';
import { alone } from '@eaas/test-kit/alone';
import type { Operator } from '@eaas/test-kit/faults/place';
import { type Api, apiOf, dek, type Resident } from '@eaas/test-kit/world';
import { type Benchmark, compare, type Comparison, type Defer, resultOf } from './compare.ts';
import { connectDeferred, openOperator } from './open-operator.ts';

const [small, large] = [10, Number(process.env['GROWTH'] ?? 1_000_000)];
const dayLength = 24 * 60 * 60 * 1_000;
const perLink = 1_000;

interface Grown extends Resident {
  readonly api: Api;
  readonly keyId: string;
  readonly wrapped: string;
}

interface Place {
  readonly size: number;
  readonly service: Service;
  readonly manyKeys: Grown;
  readonly manyEntries: Grown;
}

export const benchmark: Benchmark = {
  name: 'growth',
  about: `calls on PostgreSQL with ${large.toLocaleString('en')} keys, entries and tenants, compared with calls on a database with ${small} of each`,
  async comparisons(defer) {
    const [many, few] = [await openPlace(defer, large), await openPlace(defer, small)];
    const each = (name: string, run: (place: Place) => Promise<unknown>): Comparison => ({
      ours: name,
      reference: small.toString(),
      target: 0.5,
      measure: () =>
        compare(
          () => run(many),
          () => run(few),
        ),
    });
    const keyOf = ({ manyKeys: { keyId } }: Place) => ({ key_id: keyId });
    return [
      each('GET /v1/keys/:id', (place) => place.manyKeys.api('GET /v1/keys/:key_id', keyOf(place))),
      each('wrap', wrap),
      each('unwrap', (place) =>
        place.manyKeys.api('POST /v1/keys/:key_id/unwrap', {
          ...keyOf(place),
          wrapped_key: place.manyKeys.wrapped,
        }),
      ),
      each('forget the tenant, and wrap', (place) => {
        place.service.ledger.forget(place.manyKeys.tenantId);
        return wrap(place);
      }),
      ...lists(each),
      ...jobs(each),
      {
        ...each('verify', async () => {}),
        measure: async () =>
          resultOf([{ ours: await verifiedASecond(many), reference: await verifiedASecond(few) }]),
      },
    ];
  },
};

const wrap = ({ manyKeys: { api, keyId } }: Place) =>
  api('POST /v1/keys/:key_id/wrap', { key_id: keyId, dek });

type Each = (name: string, run: (place: Place) => Promise<unknown>) => Comparison;

function lists(each: Each): Comparison[] {
  // Requests five entries, because the small database has only five `key.wrap` entries after `offset=half`.
  const audit = (name: string, query: (place: Place) => object) =>
    each(`GET /v1/audit?${name}`, (place) =>
      place.manyEntries.api('GET /v1/audit', { limit: 5, ...query(place) }),
    );
  const list = (name: string, query: object) =>
    each(`GET /v1/keys?${name}`, ({ manyKeys: { api } }) => api('GET /v1/keys', { limit: 1, ...query }));
  const keyOf = ({ manyEntries: { keyId } }: Place) => keyId;
  const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString();
  return [
    audit('', () => ({})),
    audit('offset=half', ({ size }) => ({ offset: size / 2 })),
    audit('action', () => ({ action: 'key.wrap' })),
    audit('action, offset=half', ({ size }) => ({ action: 'key.wrap', offset: size / 2 })),
    audit('action, none', () => ({ action: 'decrypt' })),
    audit('action, rare', () => ({ action: 'key.create' })),
    audit('actor, two entries', ({ manyEntries: { apiKeyId } }) => ({ actor: apiKeyId })),
    audit('key_id', (place) => ({ key_id: keyOf(place) })),
    audit('key_id, action', (place) => ({ key_id: keyOf(place), action: 'key.wrap' })),
    audit('action, date_from', () => ({ action: 'key.wrap', date_from: ago(dayLength) })),
    list('', {}),
    list('status', { status: 'disabled' }),
    list('name', { name: 'key' }),
  ];
}

function jobs(each: Each): Comparison[] {
  const job = (name: string, run: (place: Place) => Promise<unknown>) =>
    each(`job ${name}, nothing due`, run);
  return [
    job('due_keys', ({ service }) => settleDueKeys(service, alone())),
    job('fold_tallies', ({ service }) => foldTallies(service, alone())),
    job('purge', ({ service }) => purge(service, 60, alone())),
    job('verify', ({ service }) =>
      verifyNightly(service, alone(), { broken: () => {}, incomplete: () => {} }),
    ),
  ];
}

async function verifiedASecond({ service, manyEntries: { tenantId } }: Place): Promise<number> {
  const startedAt = performance.now();
  const { valid, checked } = await verifyTenant(service, tenantId);
  if (valid !== true) throw new Error(`the audit log must be valid (got ${valid})`);
  return (1_000 * checked) / (performance.now() - startedAt);
}

/** Writes many rows with each link, because a million API calls would take an hour. */
async function openPlace(defer: Defer, size: number): Promise<Place> {
  const operator = await openOperator(defer, 'embedded', false);
  const sql = connectDeferred(defer, operator.postgres);
  const { service } = operator;
  const manyEntries = await grow(operator);
  await appendEntries(service, manyEntries, size);
  const manyKeys = await grow(operator);
  const { key_id } = await manyKeys.api('POST /v1/keys', { name: 'disabled' });
  await manyKeys.api('POST /v1/keys/:key_id/disable', { key_id });
  await addKeys(service, manyKeys, size);
  await copyTenants(sql, manyKeys.tenantId, size);
  // As if tonight's verification were over: it would find that the MACs of the copied tenants are wrong.
  await recordNight(service, alone(), nightAt(service.ledger.clock.now()), 0);
  await sql.unsafe('vacuum analyze');
  return { size, service, manyKeys, manyEntries };
}

async function grow({ service, newTenant }: Operator): Promise<Grown> {
  const resident = await newTenant();
  const api = apiOf(service, resident.token);
  const { key_id: keyId } = await api('POST /v1/keys', { name: 'key' });
  const { wrapped_key: wrapped } = await api('POST /v1/keys/:key_id/wrap', { key_id: keyId, dek });
  return { ...resident, api, keyId, wrapped };
}

type Judge = Part<object>['judge'];

async function inLinks(
  service: Service,
  tenantId: string,
  size: number,
  judgeOf: (from: number, count: number) => Judge,
): Promise<void> {
  for (let from = 0; from < size; from += perLink) {
    const judge = judgeOf(from, Math.min(perLink, size - from));
    await decide(service, insider(tenantId, 'system'), { needs: () => [], judge });
  }
}

/** Nine wraps of the tenant's key, and an unwrap of another one, again and again. */
async function appendEntries(service: Service, { tenantId, keyId }: Grown, size: number): Promise<void> {
  const context = { context: { column: 'diagnosis', table: 'patients' } };
  const ofKey = keyDraft('key.wrap', { key_id: keyId, key_version: 1 }, context);
  const others = Array.from({ length: 10 }, () =>
    keyDraft('key.unwrap', { key_id: randomUUID(), key_version: 1 }, context),
  );
  await inLinks(service, tenantId, size, (_, length) => {
    const drafts = Array.from(
      { length },
      (_, nth) => (nth % 10 === 9 && others[((nth / 10) | 0) % 10]) || ofKey,
    );
    return () => ({ entries: drafts, answer: {} });
  });
}

async function addKeys(service: Service, { tenantId, keyId }: Grown, size: number): Promise<void> {
  await inLinks(service, tenantId, size, (from, length) => (view) => {
    const model = view.find(keys, keyId);
    if (!model) throw new Error(`expected the key ${keyId} in the database (got none)`);
    const rows = Array.from({ length }, (_, nth) => ({
      ...model,
      key_id: randomUUID(),
      name: `copy ${from + nth}`,
      status: (from + nth) % 1_000 === 0 ? ('disabled' as const) : model.status,
      created_id: view.entryId + nth,
      rev: view.entryId + nth,
    }));
    // Nobody opens these versions.
    const version = { tenant_id: tenantId, key_version: 1, created_at: 0, sealed: randomBytes(78) };
    return {
      entries: rows.map((row) => keyDraft('key.create', row)),
      writes: rows.flatMap((row) => [add(keys, row), add(keyVersions, { ...version, key_id: row.key_id })]),
      answer: {},
    };
  });
}

/** The copied tenants only fill the tables. No call can use them, because the MACs of their rows are wrong. */
async function copyTenants(sql: postgres.Sql, tenantId: string, size: number): Promise<void> {
  await sql`create temporary table copies as select gen_random_uuid() as id, nth from generate_series(1, ${size}::int) nth`;
  const copy = (table: string, changes: string) => sql`
    insert into eaas.${sql(table)} select (jsonb_populate_record(t,
      jsonb_build_object('tenant_id', copies.id, ${sql.unsafe(changes)}))).*
    from eaas.${sql(table)} t, copies where t.tenant_id = ${tenantId}`;
  await copy('tenants', `'name', 'copy ' || nth`);
  await copy('audit_heads', `'id', 0`);
  await copy(
    'api_keys',
    `'api_key_id', gen_random_uuid(), 'token_hash', '\\x' || replace(gen_random_uuid()::text, '-', '')`,
  );
  await sql`insert into eaas.row_records (tenant_id, row_id, rev) select id, id, 0 from copies`;
  await sql`drop table copies`;
}

import type { Input } from '@eaas/protocol/wire';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { apiOf } from '@eaas/test-kit/world';
import type { Report } from './compare.ts';
import { median } from '@eaas/test-kit/statistics';
import {
  addEntries,
  coverEntries,
  openStore,
  purgeEntries,
  type Sizes,
  sizesOf,
  type Store,
} from './stored-entries.ts';

const tenants = 20;
const kept = 400_000;
const [cycles, perCycle] = [8, 80_000];
const listed = 1_000_000;
const calls = 15;

type Filter = Input<'GET /v1/audit'>;

export const benchmark: Report = {
  name: 'storage',
  about:
    'bytes per audit entry, the size of the table while entries are purged, and the latency of GET /v1/audit',
  async *report(defer) {
    const postgres = await OwnPostgres.start('installed');
    defer(postgres.drop);
    yield `PostgreSQL ${postgres.binaries.version}`;
    for (const size of [1, 100]) {
      yield* growth(await openStore(postgres, tenants, defer), size);
      yield* lists(await openStore(postgres, 1, defer), size);
    }
  },
};

async function* growth(store: Store, size: number): AsyncIterable<string> {
  const columns = ['table', 'primary key', 'by key', 'by action', 'sum'];
  const show = async (name: string, unit: number) =>
    row([name, ...listOf(await sizesOf(store)).map((bytes) => (bytes / unit).toFixed(0))]);
  await addEntries(store, 0, kept, size);
  yield `\nappends of ${size}, ${tenants} tenants, ${kept.toLocaleString('en')} entries`;
  yield row(['bytes per entry', ...columns]);
  yield await show('no entry purged', kept);
  yield row([`KiB; ${perCycle.toLocaleString('en')} per cycle`, ...columns]);
  yield await show('no entry purged', 1024);
  for (let cycle = 1; cycle <= cycles; cycle++) {
    await addEntries(store, kept + (cycle - 1) * perCycle, perCycle, size);
    await purgeEntries(store, cycle * perCycle);
    yield await show(`cycle ${cycle}`, 1024);
  }
  await store.sql`reindex table concurrently eaas.audit_entries`;
  yield await show('reindex', 1024);
}

async function* lists(store: Store, size: number): AsyncIterable<string> {
  await addEntries(store, 0, listed, size);
  await coverEntries(store, listed);
  await store.sql`vacuum analyze eaas.audit_entries`;
  yield `\nappends of ${size}, GET /v1/audit of one tenant with ${listed.toLocaleString('en')} entries, milliseconds of ${calls} calls`;
  yield row(['filter', 'matching', 'median', 'max']);
  const [tenant] = store.tenants;
  const api = apiOf(store.operator.service, tenant?.token ?? '');
  for (const [name, filter] of await filtersOf(store)) {
    const { total } = await api('GET /v1/audit', filter);
    const times: number[] = [];
    for (let call = 0; call < calls; call++) {
      const startedAt = performance.now();
      await api('GET /v1/audit', filter);
      times.push(performance.now() - startedAt);
    }
    const figures = [median(times), Math.max(...times)].map((time) => time.toFixed(1));
    yield row([name, (total ?? 0).toLocaleString('en'), ...figures]);
  }
}

async function filtersOf({ sql, before }: Store): Promise<[string, Filter][]> {
  const [found] = await sql<{ key_id: string | null; start: number | null; end: number | null }[]>`
    select (select key_id from eaas.audit_entries where id = ${before + listed / 2}) as key_id,
      (select created_at from eaas.audit_entries where id = ${before + 0.5 * listed}) as start,
      (select created_at from eaas.audit_entries where id = ${before + 0.6 * listed}) as end`;
  if (!found?.key_id || !found.start || !found.end) {
    throw new Error(
      `the search must have entries with a key id, and times for \`date_from\` and \`date_to\` (got ${JSON.stringify(found)})`,
    );
  }
  const { key_id } = found;
  const dates = {
    date_from: new Date(found.start).toISOString(),
    date_to: new Date(found.end).toISOString(),
  };
  return [
    ['none', {}],
    ['offset 500,000', { offset: 500_000 }],
    ['dates', dates],
    ['key', { key_id }],
    ['key, offset 20,000', { key_id, offset: 20_000 }],
    ['key, dates', { key_id, ...dates }],
    ['action', { action: 'key.wrap' }],
    ['rare action', { action: 'key.rotate' }],
    ['action that does not occur', { action: 'key.export' }],
    ['action, dates', { action: 'key.wrap', ...dates }],
    ['key, action', { key_id, action: 'key.wrap' }],
    ['key, rare action', { key_id, action: 'key.rotate' }],
    ['key, action, dates', { key_id, action: 'key.wrap', ...dates }],
  ];
}

function listOf({ table, primaryKey, byKey, byAction }: Sizes): number[] {
  return [table, primaryKey, byKey, byAction, table + primaryKey + byKey + byAction];
}

function row(values: readonly string[]): string {
  return values
    .map((value, column) => (column === 0 ? value.padEnd(27) : value.padStart(12)))
    .join('')
    .trimEnd();
}

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { EaasError } from '@eaas/sdk';
import { checkConstraints, defineFields, field, unencrypted } from '@eaas/sdk/fields';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf, read } from '@eaas/test-kit/markdown';
import { createDatabase, type TestDatabase } from '@eaas/test-kit/database';
import { requireTools } from '@eaas/test-kit/tools';
import { createClient } from '@eaas/test-kit/orms/client';
import { type Kind, kinds, plaintext, titles, values } from '@eaas/test-kit/orms/kinds';
import { type OutcomeRow, outcomeTable } from '@eaas/test-kit/orms/outcomes';

type Row = Record<string, unknown>;

interface Kysely {
  insertInto(table: string): Kysely;
  values(rows: unknown): Kysely;
  updateTable(table: string): Kysely;
  set(values: Row): Kysely;
  deleteFrom(table: string): Kysely;
  selectFrom(table: string): Kysely;
  select(columns: unknown): Kysely;
  distinct(): Kysely;
  where(column: string, operator: string, value: unknown): Kysely;
  groupBy(column: string): Kysely;
  orderBy(column: string): Kysely;
  readonly fn: Readonly<Record<'min' | 'count', (column: string) => Aggregate>>;
  execute(): Promise<Row[]>;
  destroy(): Promise<void>;
}
interface Aggregate {
  distinct(): Aggregate;
  as(name: string): unknown;
}

/** What an app tries on a column: `value` is the plaintext of its first row, and `terms` asks for the fingerprints. */
interface Place {
  readonly db: Kysely;
  readonly kind: Kind;
  readonly value: unknown;
  readonly terms: () => Promise<string[]>;
}

const select = ({ db }: Place): Kysely => db.selectFrom('samples').select('id');

async function search(place: Place, operator: string, found: string): Promise<void> {
  const query = select(place).where(`${place.kind}_index`, operator, await place.terms());
  expect(await query.execute()).toEqual([{ id: found }]);
}

const operations: Readonly<Record<string, (place: Place) => Promise<unknown>>> = {
  'insert without encryption': ({ db, kind, value }) =>
    db
      .insertInto('samples')
      .values({ id: 'row-3', [kind]: value })
      .execute(),
  'update without encryption': ({ db, kind, value }) =>
    db
      .updateTable('samples')
      .set({ [kind]: value })
      .where('id', '=', 'row-1')
      .execute(),
  'search by the index column': (place) => search(place, 'in', 'row-1'),
  'search by `not in` of the index column': (place) => search(place, 'not in', 'row-2'),
  'search with plaintext': (place) => select(place).where(place.kind, '=', place.value).execute(),
  'delete by plaintext': ({ db, kind, value }) => db.deleteFrom('samples').where(kind, '!=', value).execute(),
  '`like`': (place) => select(place).where(place.kind, 'like', '%x%').execute(),
  '`<`': (place) => select(place).where(place.kind, '<', 'x').execute(),
  '`order by`': (place) => select(place).orderBy(place.kind).execute(),
  '`group by`': (place) => select(place).groupBy(place.kind).execute(),
  '`distinct`': ({ db, kind }) => db.selectFrom('samples').select(kind).distinct().execute(),
  '`min`': ({ db, kind }) => db.selectFrom('samples').select(db.fn.min(kind).as('least')).execute(),
  '`count(distinct)`': ({ db, kind }) =>
    db.selectFrom('samples').select(db.fn.count(kind).distinct().as('n')).execute(),
};

const fields = defineFields({
  samples: {
    lowEntropy: 'accepted',
    ...unencrypted('id'),
    text: field.text().searchable(),
    note: field.text(),
    number: field.number().searchable(),
    bigint: field.bigint().searchable(),
    boolean: field.boolean().searchable(),
    date: field.date().searchable(),
    bytes: field.bytes(),
    json: field.json(),
  },
});
const indexes = ['text', 'number', 'bigint', 'boolean', 'date'].map((kind) => `${kind}_index`);

const page = 'packages/sdk/docs/orm.md';
const generated = fileURLToPath(new URL('generated', import.meta.url));
let database: TestDatabase;
let db: Kysely;
let run: (statement: string) => Promise<Row[]>;

beforeAll(async () => {
  const load = createRequire(join(await requireTools('packages/sdk/test/orms/kysely'), 'index.js'));
  const { Kysely, PostgresDialect } = load('kysely') as {
    Kysely: new (options: object) => Kysely;
    PostgresDialect: new (options: object) => object;
  };
  const { Pool } = load('pg') as {
    Pool: new (options: object) => { query(statement: string): Promise<{ rows: Row[] }> };
  };
  database = await createDatabase();
  const pool = new Pool({ connectionString: database.url('owner') });
  run = async (statement) => (await pool.query(statement)).rows;
  const columns = [...kinds, ...indexes].map((name) => `"${name}" text`).join();
  await run(`create table samples (id text primary key, ${columns}); ${checkConstraints(fields, 'samples')}`);
  db = new Kysely({ dialect: new PostgresDialect({ pool }), plugins: [await loadGuard()] });
});

afterAll(async () => {
  await db.destroy();
  await database.drop();
  rmSync(generated, { recursive: true, force: true });
});

async function loadGuard(): Promise<unknown> {
  const code = blocksOf(read(page), 'ts').find((block) => block.includes('KyselyPlugin'));
  const [guard = ''] = code?.split('const sorted') ?? [];
  const named = guard.replace(/new Set\(.*\)/, `new Set(${JSON.stringify(kinds)})`);
  expect(named).toContain(JSON.stringify(kinds));
  mkdirSync(generated, { recursive: true });
  const file = join(generated, 'guard.ts');
  writeFileSync(file, `${named}\nexport { guard };\n`);
  return ((await import(pathToFileURL(file).href)) as { guard: unknown }).guard;
}

test('what makes no sense on encrypted columns is refused, as the table in orm.md says', async () => {
  const { eaas, index } = await createClient();
  const records = fields.for(eaas, { index });
  const rowOf = (at: number): Row => Object.fromEntries(kinds.map((kind) => [kind, values[kind][at]]));
  for (const [at, id] of ['row-1', 'row-2'].entries()) {
    const row = await records.encryptRow('samples', id, { id, ...rowOf(at) } as never);
    await db.insertInto('samples').values(row).execute();
  }
  const before = await run('select * from samples order by id');

  const outcomeOf = async (operation: (place: Place) => Promise<unknown>, kind: Kind): Promise<string> => {
    const [value] = values[kind];
    const terms = async () => {
      const query = { [kind]: value } as never;
      return Object.values<string[]>(await records.where('samples', query)).flat();
    };
    const outcome = await operation({ db, kind, value, terms }).then(() => 'yes', codeOf);
    expect(await run('select * from samples order by id')).toEqual(before);
    return outcome;
  };

  const rows: OutcomeRow[] = [];
  for (const [title, operation] of Object.entries(operations)) {
    const outcomes: string[] = [];
    for (const kind of kinds) outcomes.push(await outcomeOf(operation, kind));
    rows.push({ title, outcomes });
  }
  const names = kinds.map((kind) => titles[kind]);
  expect(read(page)).toContain(`${outcomeTable(['operation'], names, rows)}\n`);
});

function codeOf(error: unknown): string {
  expect(String(error)).not.toMatch(plaintext);
  if (error instanceof TypeError && error.message.includes('is encrypted')) return '`refused`';
  if (error instanceof EaasError) return `\`${error.code}\``;
  if (error instanceof Error && 'code' in error && error.code === '23514') return '`23514`';
  throw error;
}

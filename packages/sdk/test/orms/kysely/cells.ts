import { expect } from 'vitest';
import type { Kind } from '@eaas/test-kit/orms/kinds';

export const ids = { one: 'row-1', two: 'row-2', new: 'row-3' };

type Row = Record<string, unknown>;

export interface Builder {
  insertInto(table: string): Builder;
  values(rows: unknown): Builder;
  onConflict(build: (conflict: Builder) => unknown): Builder;
  column(name: string): Builder;
  doUpdateSet(values: Row): unknown;
  updateTable(table: string): Builder;
  set(values: Row): Builder;
  deleteFrom(table: string): Builder;
  selectFrom(table: string): Builder;
  innerJoin(table: string, left: string, right: string): Builder;
  select(columns: unknown): Builder;
  selectAll(): Builder;
  distinct(): Builder;
  where(column: string, operator: string, value: unknown): Builder;
  groupBy(column: string): Builder;
  orderBy(column: string): Builder;
  returningAll(): Builder;
  readonly fn: Readonly<Record<'min' | 'max' | 'count', (column: string) => Aggregate>>;
  execute(): Promise<Row[]>;
}
interface Aggregate {
  distinct(): Aggregate;
  as(name: string): unknown;
}

interface Place {
  readonly db: Builder;
  readonly kind: Kind;
  readonly value: unknown;
  readonly other: unknown;
  readonly encrypt: (id: string, row: Row) => Promise<Row>;
  readonly where: (value: unknown) => Promise<string[]>;
  readonly decrypt: (rows: Row[]) => Promise<Row[]>;
  readonly values: () => Promise<unknown[]>;
}

interface Cell {
  readonly operation: string;
  readonly run: (place: Place) => Promise<unknown>;
}

function same(found: unknown, wanted: unknown): void {
  expect(found).toEqual(wanted);
}

const cell = (operation: string, run: Cell['run']): Cell => ({ operation, run });

const insert = (operation: string, build: (query: Builder, row: Row) => Builder): Cell =>
  cell(operation, async ({ db, kind, other, encrypt, values }) => {
    const row = await encrypt(ids.new, { id: ids.new, [kind]: other });
    await build(db.insertInto('samples'), row).execute();
    same((await values()).at(-1), other);
  });
const forget = (operation: string, build: (db: Builder, row: Row) => Builder): Cell =>
  cell(operation, async ({ db, kind, other }) => build(db, { [kind]: other }).execute());
const search = (
  operation: string,
  build: (place: Place, terms: string[]) => Builder,
  found: string[],
): Cell =>
  cell(operation, async (place) => {
    const rows = await build(place, await place.where(place.value)).execute();
    same(
      rows.map(({ id }) => id),
      found,
    );
  });
const misuse = (operation: string, build: (place: Place) => Builder): Cell =>
  cell(operation, async (place) => build(place).execute());

const samples = ({ db }: Place): Builder => db.selectFrom('samples');

export const cells: readonly Cell[] = [
  insert('insert', (query, row) => query.values(row)),
  insert('insert, then `on conflict`', (query, row) =>
    query.values(row).onConflict((conflict) => conflict.column('id').doUpdateSet(row)),
  ),
  cell('insert with `returning`', async ({ db, kind, other, encrypt, decrypt }) => {
    const row = await encrypt(ids.new, { id: ids.new, [kind]: other });
    const returned = await decrypt(await db.insertInto('samples').values(row).returningAll().execute());
    same(returned[0]?.[kind], other);
    return returned;
  }),
  cell('insert NULL', async ({ db, kind, encrypt, values }) => {
    const row = await encrypt(ids.new, { id: ids.new, [kind]: null });
    await db.insertInto('samples').values(row).execute();
    same((await values()).at(-1), null);
  }),
  cell('update', async ({ db, kind, other, encrypt, values }) => {
    const patch = await encrypt(ids.one, { [kind]: other });
    await db.updateTable('samples').set(patch).where('id', '=', ids.one).execute();
    same((await values())[0], other);
  }),
  cell('update to NULL', async ({ db, kind, encrypt, values }) => {
    const patch = await encrypt(ids.one, { [kind]: null });
    await db.updateTable('samples').set(patch).where('id', '=', ids.one).execute();
    same((await values())[0], null);
  }),
  forget('insert without encryption', (db, row) => db.insertInto('samples').values({ id: ids.new, ...row })),
  forget('update without encryption', (db, row) =>
    db.updateTable('samples').set(row).where('id', '=', ids.one),
  ),
  cell('select', async (place) => {
    const rows = await place.decrypt(await samples(place).selectAll().orderBy('id').execute());
    same(rows[0]?.[place.kind], place.value);
    return rows;
  }),
  cell('join', async (place) => {
    const joined = samples(place).innerJoin('children', 'children.parent_id', 'samples.id');
    const rows = await place.decrypt(await joined.select(['samples.id', place.kind, 'remark']).execute());
    same(rows, [{ id: ids.one, [place.kind]: place.value, remark: 'a remark' }]);
    return rows;
  }),
  search(
    'search by the index column',
    (place, terms) => samples(place).select('id').where(`${place.kind}_index`, 'in', terms),
    [ids.one],
  ),
  search(
    'search by `not in` of the index column',
    (place, terms) => samples(place).select('id').where(`${place.kind}_index`, 'not in', terms),
    [ids.two],
  ),
  cell('`is null`, `is not null`', async (place) => {
    const { db, kind } = place;
    same(await samples(place).select('id').where(kind, 'is', null).execute(), []);
    same((await db.selectFrom('samples').select('id').where(kind, 'is not', null).execute()).length, 2);
  }),
  cell('`count`', async (place) => {
    const [row] = await samples(place).select(place.db.fn.count(place.kind).as('n')).execute();
    same(Number(row?.['n']), 2);
  }),
  misuse('search with plaintext', (place) => samples(place).select('id').where(place.kind, '=', place.value)),
  misuse('delete by plaintext', ({ db, kind, value }) => db.deleteFrom('samples').where(kind, '!=', value)),
  misuse('`like`', (place) => samples(place).select('id').where(place.kind, 'like', '%x%')),
  misuse('`<`', (place) => samples(place).select('id').where(place.kind, '<', 'x')),
  misuse('`order by`', (place) => samples(place).select('id').orderBy(place.kind)),
  misuse('`group by`', (place) => samples(place).select(place.db.fn.count('id').as('n')).groupBy(place.kind)),
  misuse('`distinct`', (place) => samples(place).select(place.kind).distinct()),
  misuse('`min`', (place) => samples(place).select(place.db.fn.min(place.kind).as('least'))),
  misuse('`count(distinct)`', (place) =>
    samples(place).select(place.db.fn.count(place.kind).distinct().as('n')),
  ),
];

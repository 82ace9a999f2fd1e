import { randomUUID } from 'node:crypto';
import type { Client as Db } from './generated-client.ts';

export interface Kind {
  readonly title: string;
  readonly column: string;
  readonly values: readonly [unknown, unknown];
}

export const kinds: readonly Kind[] = [
  { title: 'not encrypted', column: 'phone', values: ['PLAIN-1', 'PLAIN-2'] },
  { title: 'text', column: 'name', values: ['PLAIN-1', 'PLAIN-2'] },
  { title: 'searchable', column: 'email', values: ['plain-1@example.com', 'plain-2@example.com'] },
  { title: 'unique', column: 'ssn', values: ['123-45-6789', '987-65-4321'] },
  { title: 'date', column: 'born', values: [new Date('1970-01-02'), new Date('1980-03-04')] },
  { title: 'number', column: 'weight', values: [61.5, 72.25] },
  { title: 'json', column: 'notes', values: [{ tags: ['PLAIN-1'] }, { tags: ['PLAIN-2'] }] },
  { title: 'bytes', column: 'scan', values: [new Uint8Array([1, 2]), new Uint8Array([3])] },
  { title: "context: 'field'", column: 'ward', values: ['PLAIN-1', 'PLAIN-2'] },
];

type Data = Record<string, unknown>;

interface Write {
  readonly title: string;
  readonly updates: boolean;
  run(db: Db, before: Before, data: Data): Promise<unknown>;
}

interface Before {
  readonly doctor: string;
  readonly patient: string;
}

const city = 'London';
const fresh = (data: Data): Data => ({ city, ...data });
const nested = (db: Db, { doctor }: Before, patients: Data) =>
  db.doctor['update']?.({ where: { id: doctor }, data: { patients }, include: { patients: true } }) ??
  nothing();
const nothing = async (): Promise<undefined> => undefined;
const patient = (db: Db, operation: string, args: object): Promise<unknown> =>
  db.patient[operation]?.(args) ?? nothing();

const creating = (title: string, run: Write['run']): Write => ({ title, updates: false, run });
const updating = (title: string, run: Write['run']): Write => ({ title, updates: true, run });

export const writes: readonly Write[] = [
  creating('create', (db, _, data) => patient(db, 'create', { data: fresh(data) })),
  creating('createMany', (db, _, data) => patient(db, 'createMany', { data: [fresh(data)] })),
  creating('createManyAndReturn', (db, _, data) =>
    patient(db, 'createManyAndReturn', { data: [fresh(data)] }),
  ),
  creating('upsert (create)', (db, _, data) =>
    patient(db, 'upsert', { where: { id: randomUUID() }, create: fresh(data), update: {} }),
  ),
  creating('nested create', (db, before, data) => nested(db, before, { create: fresh(data) })),
  creating('nested create of a list', (db, before, data) => nested(db, before, { create: [fresh(data)] })),
  creating('nested createMany', (db, before, data) =>
    nested(db, before, { createMany: { data: [fresh(data)] } }),
  ),
  creating('nested connectOrCreate', (db, before, data) =>
    nested(db, before, { connectOrCreate: { where: { id: randomUUID() }, create: fresh(data) } }),
  ),
  creating('nested upsert (create)', (db, before, data) =>
    nested(db, before, { upsert: { where: { id: randomUUID() }, create: fresh(data), update: {} } }),
  ),
  creating('create two levels deep', (db, _, data) => {
    const visit = { kind: 'first', note: 'PLAIN-note', patient: { create: fresh(data) } };
    return db.bill['create']?.({ data: { cents: 1, visit: { create: visit } } }) ?? nothing();
  }),
  creating('create in a transaction', (db, _, data) =>
    db.$transaction((tx: Db) => patient(tx, 'create', { data: fresh(data) })),
  ),
  creating('create in a batch', (db, _, data) =>
    db.$transaction([patient(db, 'create', { data: fresh(data) })]),
  ),
  updating('update', (db, { patient: id }, data) => patient(db, 'update', { where: { id }, data })),
  updating('update by a unique field', (db, _, data) =>
    patient(db, 'update', { where: { ssn: '000-00-0001' }, data }),
  ),
  updating('updateMany', (db, _, data) => patient(db, 'updateMany', { where: { city }, data })),
  updating('updateManyAndReturn', (db, _, data) =>
    patient(db, 'updateManyAndReturn', { where: { city }, data }),
  ),
  updating('upsert (update)', (db, { patient: id }, data) =>
    patient(db, 'upsert', { where: { id }, create: fresh({}), update: data }),
  ),
  updating('upsert by a unique field', (db, _, data) =>
    patient(db, 'upsert', { where: { ssn: '000-00-0001' }, create: fresh({}), update: data }),
  ),
  updating('nested update', (db, before, data) =>
    nested(db, before, { update: { where: { id: before.patient }, data } }),
  ),
  updating('nested updateMany', (db, before, data) =>
    nested(db, before, { updateMany: { where: { city }, data } }),
  ),
  updating('nested upsert (update)', (db, before, data) =>
    nested(db, before, { upsert: { where: { id: before.patient }, create: fresh({}), update: data } }),
  ),
  updating('update in a transaction', (db, { patient: id }, data) =>
    db.$transaction((tx: Db) => patient(tx, 'update', { where: { id }, data })),
  ),
  updating('update by a unique field in a transaction', (db, _, data) =>
    db.$transaction((tx: Db) => patient(tx, 'update', { where: { ssn: '000-00-0001' }, data })),
  ),
  updating('updateMany in a transaction', (db, _, data) =>
    db.$transaction((tx: Db) => patient(tx, 'updateMany', { where: { city }, data })),
  ),
  updating('update in a batch', (db, { patient: id }, data) =>
    db.$transaction([patient(db, 'update', { where: { id }, data })]),
  ),
  updating('updateMany in a batch', (db, _, data) =>
    db.$transaction([patient(db, 'updateMany', { where: { city }, data })]),
  ),
];

interface Filter {
  readonly title: string;
  readonly finds: string;
  where(column: string, values: Kind['values']): Data;
}

const filter = (title: string, finds: string, where: Filter['where']): Filter => ({ title, finds, where });

export const filters: readonly Filter[] = [
  filter('`value`', 'A', (column, [a]) => ({ [column]: a })),
  filter('`{ equals }`', 'A', (column, [a]) => ({ [column]: { equals: a } })),
  filter('`{ in }`', 'AB', (column, [a, b]) => ({ [column]: { in: [a, b] } })),
  filter('`{ in }` of an empty list', '', (column) => ({ [column]: { in: [] } })),
  filter('`{ not }`', 'B', (column, [a]) => ({ [column]: { not: a } })),
  filter('`{ not: { equals } }`', 'B', (column, [a]) => ({ [column]: { not: { equals: a } } })),
  filter('`{ not: { in } }`', 'B', (column, [a]) => ({ [column]: { not: { in: [a] } } })),
  filter('`{ notIn }`', 'B', (column, [a]) => ({ [column]: { notIn: [a] } })),
  filter('`null`', 'C', (column) => ({ [column]: null })),
  filter('`{ equals: null }`', 'C', (column) => ({ [column]: { equals: null } })),
  filter('`{ not: null }`', 'AB', (column) => ({ [column]: { not: null } })),
  filter('`undefined`', 'ABC', (column) => ({ [column]: undefined })),
  filter('`OR`', 'AB', (column, [a, b]) => ({ OR: [{ [column]: a }, { [column]: b }] })),
  filter('`AND`', 'A', (column, [a, b]) => ({ AND: [{ [column]: a }, { [column]: { not: b } }] })),
  filter('`NOT`', 'B', (column, [a]) => ({ NOT: { [column]: a } })),
  filter('`NOT` of `NOT`', 'A', (column, [a]) => ({ NOT: { NOT: { [column]: a } } })),
  filter('`NOT` of `null`', 'AB', (column) => ({ NOT: { [column]: null } })),
  filter('`some`', 'ABC', (column, [a]) => ({ doctor: { patients: { some: { [column]: a } } } })),
  filter('`every`', '', (column, [a]) => ({ doctor: { patients: { every: { [column]: a } } } })),
  filter('`none`', '', (column, [a]) => ({ doctor: { is: { patients: { none: { [column]: a } } } } })),
  filter('`is`', 'A', (column, [a]) => ({ visits: { some: { patient: { is: { [column]: a } } } } })),
  filter('`isNot`', 'B', (column, [a]) => ({ visits: { some: { patient: { isNot: { [column]: a } } } } })),
  filter('`{ contains }`', '', (column) => ({ [column]: { contains: 'QQ' } })),
  filter('`{ startsWith }`', '', (column) => ({ [column]: { startsWith: 'QQ' } })),
  filter('`{ endsWith }`', '', (column) => ({ [column]: { endsWith: 'QQ' } })),
  filter('`{ gt }`', '', (column) => ({ [column]: { gt: 'zz' } })),
  filter('`{ lte }`', '', (column) => ({ [column]: { lte: '' } })),
];

export const searches: Readonly<Record<string, (db: Db, where: Data) => Promise<unknown>>> = {
  findMany: (db, where) =>
    lettersOf(patient(db, 'findMany', { where, select: { city: true }, orderBy: { city: 'asc' } })),
  count: (db, where) => patient(db, 'count', { where }),
  updateMany: (db, where) =>
    countOf(undone(db, (tx) => patient(tx, 'updateMany', { where, data: { city: 'x' } }))),
  deleteMany: (db, where) => countOf(undone(db, (tx) => patient(tx, 'deleteMany', { where }))),
};

async function lettersOf(rows: Promise<unknown>): Promise<string> {
  return ((await rows) as { city: string }[]).map(({ city }) => city).join('');
}

async function countOf(result: Promise<unknown>): Promise<number> {
  return ((await result) as { count: number }).count;
}

async function undone(db: Db, work: (tx: Db) => Promise<unknown>): Promise<unknown> {
  let result: unknown;
  const rollback = new Error('rollback');
  const undo = async (tx: Db): Promise<never> => {
    result = await work(tx);
    throw rollback;
  };
  await db.$transaction(undo).catch((error: unknown) => {
    if (error !== rollback) throw error;
  });
  return result;
}

export function expected(search: string, letters: string): unknown {
  return search === 'findMany' ? letters : letters.length;
}

interface Read {
  readonly title: string;
  run(db: Db, column: string, values: Kind['values']): Promise<unknown>;
}

const byCity = { orderBy: { city: 'asc' } };
const read = (title: string, run: Read['run']): Read => ({ title, run });
const columnOf = async (column: string, rows: Promise<unknown>): Promise<unknown[]> =>
  ((await rows) as Record<string, unknown>[]).map((row) => row[column]);

export const reads: readonly Read[] = [
  read('all columns', (db, column) => columnOf(column, patient(db, 'findMany', byCity))),
  read('`select`', (db, column) =>
    columnOf(column, patient(db, 'findMany', { ...byCity, select: { [column]: true } })),
  ),
  read('`omit` of the id', (db, column) =>
    columnOf(column, patient(db, 'findMany', { ...byCity, omit: { id: true } })),
  ),
  read('`include`', async (db, column) => {
    const doctor = (await db.doctor['findFirst']?.({ include: { patients: byCity } })) as {
      patients: Data[];
    };
    return doctor.patients.map((row) => row[column]);
  }),
  read('`select` at depth 2', async (db, column) => {
    const select = {
      patient: { select: { doctor: { select: { patients: { ...byCity, select: { [column]: true } } } } } },
    };
    const visit = (await db.visit['findFirst']?.({ select })) as {
      patient: { doctor: { patients: Data[] } };
    };
    return visit.patient.doctor.patients.map((row) => row[column]);
  }),
  read('a relation, as `findFirst().patients()`', async (db, column) => {
    const doctor = db.doctor['findFirst']?.({}) as unknown as { patients(args: object): Promise<Data[]> };
    return (await doctor.patients(byCity)).map((row) => row[column]);
  }),
];

export const comparisons: readonly Read[] = [
  read('`orderBy`', (db, column) => patient(db, 'findMany', { orderBy: { [column]: 'asc' } })),
  read(
    '`orderBy` of a relation',
    (db, column) => db.visit['findMany']?.({ orderBy: { patient: { [column]: 'asc' } } }) ?? nothing(),
  ),
  read('`distinct`', (db, column) => patient(db, 'findMany', { distinct: [column] })),
  read('`groupBy`', (db, column) => patient(db, 'groupBy', { by: [column] })),
  read('`having`', (db, column, [a]) =>
    patient(db, 'groupBy', { by: ['city', 'phone'], having: { [column]: a } }),
  ),
  read('`_min`, `_max`', (db, column) =>
    patient(db, 'aggregate', { _min: { [column]: true }, _max: { [column]: true } }),
  ),
  read('`_count` of a column', (db, column) => patient(db, 'aggregate', { _count: { [column]: true } })),
  read('`count` of a column', (db, column) => patient(db, 'count', { select: { [column]: true } })),
];

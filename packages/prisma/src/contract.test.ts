// Prisma on the cases of all ORMs, and what is its own about them: its operations, relations and ranges of dates.
import { defineFields, field, type FieldError, unencrypted } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import { ada, describeOrm, encryptedFields, type Opening, type Row } from '@eaas/test-kit/orms/contract';
import { expect, test, vi } from 'vitest';
import { column, columns, extensionOf, operate, relation } from '../test/played.ts';
import { withEncryption } from './encrypted.ts';
import { type Args, isArgs } from './values.ts';

const plain = ['id', 'city', 'profile'] as const;

/** What a query reads of a row, and index columns also if it omits them. */
function shownOf(row: Row, { select, omit }: Args): Args {
  const isShown = (name: string): boolean =>
    isArgs(select) ? select[name] === true : name.endsWith('_index') || Object(omit)[name] !== true;
  return Object.fromEntries(Object.entries(row).filter(([name]) => isShown(name)));
}

function open({ eaas, rows, subject, bits, previous, ...options }: Opening) {
  const { born, name, secret } = encryptedFields({ bits, previous });
  // A function is called with all columns that are listed.
  const listed = typeof subject === 'function' ? unencrypted('city') : unencrypted(...plain);
  const table = { lowEntropy: 'accepted', ...listed, name, born, secret } as const;
  const fields = defineFields({
    Patient: { ...table, ...(subject && { subject }) },
    Visit: { note: field.text() },
  });
  const sent: Args[] = [];
  const models = {
    Patient: {
      fields: [
        column('id', { nativeType: 'Uuid' }),
        ...columns('city', 'profile', 'name', 'name_index', 'born', 'born_range_index', 'secret'),
        relation('visits', 'Visit[]'),
      ],
    },
    Visit: { fields: [...columns('id', 'note'), relation('patient', 'Patient')] },
    Comment: { fields: [...columns('id', 'text'), column('extra', { type: 'Json' })] },
  };
  const extension = extensionOf(models, (prisma) => withEncryption(prisma, eaas, fields, options as never));
  /** Answers an operation on many rows with all of them, and one on one row with the last. */
  const run = (operation: string, args: Args = {}, model = 'Patient', of = extension) =>
    operate(
      of,
      operation,
      args,
      async (given) => {
        sent.push(given);
        const copies = rows.map((row) => shownOf(row, given));
        return /Many/.test(operation) ? copies : copies.at(-1);
      },
      model,
    );
  return { run, sent, ...extension.client };
}

await describeOrm('Patient', (opening) => {
  const { run, sent, ...client } = open(opening);
  const by =
    (operation: string, args: Args = {}) =>
    (onError?: Opening['onError']) =>
      run(operation, { ...args, ...(onError && { onError }) });
  const where = { id: ada };
  const city = { city: 'Bern' };
  const [plainRow, select] = [{ id: ada, ...city }, { id: true }];
  const within = (operation: string, more: Args = {}) => ({
    [operation + JSON.stringify(more)]: (range: object) =>
      run(operation, { where: { AND: [{ AND: { born: { range } } }, { name: { not: null } }] }, ...more }),
  });
  const find =
    (more: Args, operation = 'findMany') =>
    (range: object) =>
      run(operation, { where: { ...where, born: { range } }, ...more });
  return {
    statements: {
      findMany: by('findMany'),
      update: by('update', { where, data: city }),
      upsert: by('upsert', { where, create: { id: ada, ...city }, update: city }),
      delete: by('delete', { where }),
    },
    others: {
      findMany: () => run('findMany', {}, 'Comment'),
      create: () => run('create', { data: { text: 'x' } }, 'Comment'),
      createManyAndReturn: () => run('createManyAndReturn', { data: [{ text: 'x' }] }, 'Comment'),
    },
    within: {
      ...within('findMany'),
      ...within('findMany', { select: { name: true } }),
      ...within('findMany', { omit: { born: true, id: true } }),
    },
    inexact: {
      '`take`': find({ take: 10 }),
      '`skip`': find({ skip: 10 }),
      '`cursor`': find({ cursor: { id: 'x' } }),
      '`distinct`': find({ distinct: ['city'] }),
      '`OR`': (range) => run('findMany', { where: { OR: [{ born: { range } }, city] } }),
      '`findUnique`': find({}, 'findUnique'),
      '`aggregate`': find({ _count: true }, 'aggregate'),
      '`groupBy`': find({ by: ['city'] }, 'groupBy'),
      'a filter of a relation': (range) =>
        run('findMany', { where: { patient: { some: { born: { range } } } } }, 'Visit'),
      '`findFirst`': find({}, 'findFirst'),
      '`count`': find({}, 'count'),
      '`_count`': (range) =>
        run(
          'findMany',
          { include: { _count: { select: { patient: { where: { born: { range } } } } } } },
          'Visit',
        ),
    },
    acting: {
      'a read of plain columns': [
        by('findMany', { select: { city: true } }),
        by('findMany', { omit: { name: true, born: true, secret: true } }),
        () => run('findMany', { select: { id: true, patient: { select: { city: true } } } }, 'Visit'),
      ],
      'an insert of plain columns': [
        by('create', { data: plainRow, select }),
        by('createMany', { data: [plainRow] }),
      ],
      'an update of plain columns': [
        by('update', { where, data: plainRow, select }),
        by('updateMany', { where, data: { profile: { name: 'x' } } }),
        by('upsert', { where, create: plainRow, update: city, select }),
      ],
      'a delete': [by('delete', { where, select }), by('deleteMany', { where })],
      'a count': [by('count'), by('aggregate', { _count: true })],
      'a read of concealed columns': [
        by('findMany', { omit: { name: true, born: true } }),
        by('update', { where, data: city, select: { secret: true } }),
        () => run('findMany', { select: { patient: { select: { secret: true } } } }, 'Visit'),
      ],
      'a read of their values': [
        () => run('findMany', { select: { secret: true } }, 'Patient', client.$revealed()),
        () => run('findMany', { include: { patient: true } }, 'Visit', client.$revealed()),
      ],
      'a read': [
        by('findFirst', { omit: { born: true } }),
        () => run('findMany', { select: { patient: { select: { name: true } } } }, 'Visit'),
      ],
      'an insert': [
        by('createMany', { data: [plainRow, { name: 'Ada' }] }),
        () => run('create', { data: { patient: { create: { name: 'Ada' } } }, select }, 'Visit'),
      ],
      'an update': [
        by('updateMany', { where: city, data: { name: 'Ada' } }),
        by('updateMany', { where, data: { name: null } }),
      ],
      'a write that returns the row': [by('update', { where, data: city }), by('delete', { where })],
      'a search': [
        by('findMany', { where: { name: 'Ada' }, select }),
        by('count', { where: { name: 'Ada' } }),
      ],
    },
    secrets: (isRevealed) =>
      run('findMany', { select: { secret: true } }, 'Patient', isRevealed ? client.$revealed() : undefined),
    as: (user) => client.$as(user),
    create: (data) => run('create', { data }),
    change: (data) => run('update', { where, data }),
    named: (equals) => run('findMany', { where: { name: { equals } } }),
    sent: () => Array.from(JSON.stringify(sent).matchAll(/"([^"]*)"/g), ([, text = '']) => text),
  };
});

const { eaas, index } = await createClient();
const day = (of: string) => new Date(`${of}T00:00Z`);
const adults = { born: { range: { to: day('2006-11-24') } } };
const opening = { eaas, index, subject: undefined };

test('the function `onError` gets the row of a relation, with what was read of it', async () => {
  const visits = defineFields({ Visit: { note: field.text() } }).for(eaas);
  const { note } = await visits.encryptRow('Visit', 'first', { note: 'cough' });
  const rows = [{ id: ada, city: 'Turin', visits: [{ id: 'second', note }] }];
  const onError = vi.fn<(error: FieldError, row: object) => unknown>(() => null);
  await open({ ...opening, rows }).run('findMany', { include: { visits: true }, onError });
  const found = onError.mock.calls.map(([error, row]) => [error.table, error.field, error.row, row]);
  expect(found).toEqual([['Visit', 'note', 'second', expect.objectContaining({ id: 'second' })]]);
});

test('another value of `onError` of an operation, and one of an operation without rows, are refused', async () => {
  const skip = 'skip' as 'null';
  const named = {
    code: 'definition',
    table: 'Patient',
    message: expect.stringContaining('`onError`') as string,
  };
  const { run } = open({ ...opening, rows: [] });
  await expect(run('findMany', { onError: skip })).rejects.toMatchObject(named);
  await expect(run('count', { onError: 'null' })).rejects.toMatchObject({
    ...named,
    code: 'unknown_argument',
  });
});

test('a range is exact in a relation, and needs the field that an option of the client omits', async () => {
  const { born } = encryptedFields();
  const table = { lowEntropy: 'accepted', ...unencrypted('id'), born } as const;
  const patients = await defineFields({ Patient: table })
    .for(eaas, { index })
    .encryptRows(
      'Patient',
      ['2006-11-01', '2006-11-30'].map((of, at) => ({ id: `${ada.slice(0, -1)}${at}`, born: day(of) })),
      ({ id }) => id,
    );
  const { run } = open({ ...opening, rows: [{ id: 'first', patient: patients }] });
  const read = run('findMany', { include: { patient: { where: adults } } }, 'Visit');
  expect(await read).toMatchObject([{ patient: [{ born: day('2006-11-01') }] }]);
  const omitted = open({ ...opening, rows: [{ id: ada }] }).run('findMany', { where: adults });
  await expect(omitted).rejects.toMatchObject({
    code: 'not_supported',
    column: 'born',
    remedy: 'read it: add `omit: { born: false }`',
  });
});

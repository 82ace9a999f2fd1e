import {
  checkConstraints,
  createIndexKey,
  defineFields,
  field,
  lastCharacters,
  months,
  prefixes,
  steps,
  unencrypted,
  words,
} from '@eaas/sdk/fields';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openServiceAndTable, type ServiceAndTable } from '@eaas/test-kit/service-and-table';

const fields = defineFields({
  patients: {
    lowEntropy: 'accepted',
    ...unencrypted('id'),
    ssn: field.text().searchableBy({ last4: lastCharacters(4) }),
    name: field.text().searchableBy({
      words: words({ bits: 64 }),
      start: prefixes(2, 5, { bits: 64 }),
    }),
    born: field.date().searchableBy({ month: months() }),
    income: field.number().searchableBy({ band: steps(10_000) }),
  },
});

const names = ['Ada King-Noël', 'Ada Lovelace', 'Grace Hopper', 'Adam Lovelace', 'Li', '—'];
const patients = Array.from({ length: 60 }, (_, id) => ({
  id,
  ssn: `123-45-${1000 + (id % 7)}`,
  name: names[id % names.length] ?? null,
  born: id % 5 ? new Date(Date.UTC(1990, id, 15)) : null,
  income: id * 1_000,
}));
type Patient = (typeof patients)[number];

let place: ServiceAndTable;
let sql: ServiceAndTable['sql'];

beforeAll(async () => {
  place = await openServiceAndTable();
  ({ sql } = place);
  await sql`create table patients (
    id int primary key, ssn text, ssn_last4_index text, name text, name_words_index text, name_start_index text,
    born text, born_month_index text, income text, income_band_index text
  )`;
  await sql`create index on patients using gin (string_to_array(name_words_index, ' '))`;
  await sql`create index on patients using gin (string_to_array(name_start_index, ' '))`;
  await sql.unsafe(checkConstraints(fields, 'patients'));
});

afterAll(() => place.close());

async function fill() {
  const { client } = await place.connect();
  const old = await createIndexKey(client);
  const before = fields.for(client, { index: old });
  const records = fields.for(client, { index: [await createIndexKey(client), old] });
  await sql`truncate patients`;
  const half = patients.length / 2;
  const idOf = ({ id }: Patient): number => id;
  const stored = [
    ...(await before.encryptRows('patients', patients.slice(0, half), idOf)),
    ...(await records.encryptRows('patients', patients.slice(half), idOf)),
  ];
  await sql`insert into patients ${sql(stored)}`;
  return records;
}

const idsOf = (keep: (patient: Patient) => boolean): { id: number }[] =>
  patients.filter(keep).map(({ id }) => ({ id }));

test('rows written under two index keys are found by characters, words, prefixes and ranges', async () => {
  const records = await fill();
  const { ssn_last4_index } = await records.where('patients', { ssn: { last4: '1003' } });
  expect(
    await sql`select id from patients where ssn_last4_index in ${sql(ssn_last4_index)} order by id`,
  ).toEqual(idsOf(({ ssn }) => ssn.endsWith('1003')));

  const { name_words_index } = await records.where('patients', { name: { words: 'LOVELACE ada' } });
  const all = name_words_index.map(
    (word) => sql`and string_to_array(name_words_index, ' ') && ${word}::text[]`,
  );
  expect(await sql`select id from patients where true ${all} order by id`).toEqual(
    idsOf(({ name }) => name === 'Ada Lovelace'),
  );

  const { name_start_index } = await records.where('patients', { name: { start: 'ada' } });
  const [start = []] = name_start_index;
  expect(
    await sql`select id from patients where string_to_array(name_start_index, ' ') && ${start}::text[] order by id`,
  ).toEqual(idsOf(({ name }) => name?.startsWith('Ada') === true));
  const like = start.map((mark) => sql`or name_start_index like ${`%${mark}%`}`);
  expect(await sql`select id from patients where false ${like} order by id`).toEqual(
    idsOf(({ name }) => name?.startsWith('Ada') === true),
  );

  const from = new Date('1990-11-30');
  const to = new Date('1992-02-01');
  const { born_month_index } = await records.where('patients', { born: { month: { from, to } } });
  const rows = await sql<{ id: number; born: string }[]>`
    select id, born from patients where born_month_index in ${sql(born_month_index)} order by id`;
  const months = [new Date('1990-11-01'), new Date('1992-03-01')] as const;
  const isIn = (born: Date | null, [first, end]: readonly [Date, Date]) =>
    born !== null && born >= first && born < end;
  expect(rows.map(({ id }) => ({ id }))).toEqual(idsOf(({ born }) => isIn(born, months)));
  const found = (await records.decryptRows('patients', rows, ({ id }) => id)).filter(({ born }) =>
    isIn(born, [from, to]),
  );
  expect(found.map(({ id }) => ({ id }))).toEqual(idsOf(({ born }) => isIn(born, [from, to])));

  const { income_band_index } = await records.where('patients', {
    income: { band: { from: 10_000, to: 25_000 } },
  });
  expect(
    await sql`select id from patients where income_band_index in ${sql(income_band_index)} order by id`,
  ).toEqual(idsOf(({ income }) => income >= 10_000 && income < 30_000));
});

test('check constraints of the table refuse parts of values in plaintext', async () => {
  await fill();
  const rows = await sql`select * from patients`;
  expect(JSON.stringify(rows)).not.toMatch(/lovelace|hopper/i);
  expect(rows.filter(({ name_words_index }) => name_words_index === null)).toHaveLength(10);
  for (const column of ['ssn_last4_index', 'name_words_index', 'born_month_index']) {
    await expect(sql`update patients set ${sql(column)} = '1003' where id = 1`).rejects.toMatchObject({
      code: '23514',
    });
  }
});

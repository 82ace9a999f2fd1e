import { createIndexKey, defineFields, field, plaintext, unencrypted } from '@eaas/sdk/fields';
import { migrate, type MigrateProgress, type SqlDatabase } from '@eaas/migrate';
import { beforeEach, describe, expect, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { inDoubleQuotes, unusualNames } from '@eaas/test-kit/orms/names';
import { openServiceAndTable } from '@eaas/test-kit/service-and-table';

/** A table whose columns hold plaintext that is to be encrypted in place. */
const fields = defineFields({
  members: {
    name: field.text({ previous: plaintext() }),
    email: field.text({ previous: plaintext() }).searchable({ normalize: ['trim', 'lowercase'] }),
  },
});

const ofPeople = defineFields({ members: { subject: 'who', email: field.text({ previous: plaintext() }) } });

const place = await closing(openServiceAndTable(), (it) => it.close());
const { sql } = place;
const { client } = await place.connect();
const index = await createIndexKey(client);
const database: SqlDatabase = { query: (statement, parameters) => sql.unsafe(statement, parameters) };
const records = fields.for(client, { index });
const encrypt = (more: object = {}, on: SqlDatabase = database) =>
  migrate(on, 'members', 'encrypt', { client, fields, index, ...more });

/** Every third row has no name. */
async function fillMembers(count: number): Promise<void> {
  await sql`drop table if exists members`;
  await sql`create table members (id bigint primary key, name text, email text not null, email_index text unique)`;
  await sql`
    insert into members select n, case when n % 3 > 0 then 'Name ' || n end, 'Member' || n || '@example.com'
    from generate_series(1, ${count}::int) n`;
}

type Row = Readonly<Record<'id' | 'name' | 'email', string>>;
const stored = () => sql<Row[]>`select * from members order by id`;
const readMembers = async () => records.decryptRows('members', await stored(), ({ id }) => id);
const expected = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: String(at + 1),
    name: (at + 1) % 3 > 0 ? `Name ${at + 1}` : null,
    email: `Member${at + 1}@example.com`,
  }));

test('a table and columns with unusual names are encrypted, counted and decrypted like others', async () => {
  const table = 'The "members" of `today`';
  const ofTable = inDoubleQuotes(table);
  const names = unusualNames.map((name, nth) => `${nth}${name}`);
  const columns = names.map((name) => `${inDoubleQuotes(name)} text`);
  await sql.unsafe(`drop table if exists ${ofTable}`);
  await sql.unsafe(`create table ${ofTable} (id int primary key, ${columns.join(', ')})`);
  const values = Object.fromEntries(names.map((name) => [name, `value of ${name}`]));
  const places = names.map((_, nth) => `$${nth + 1}`);
  await sql.unsafe(`insert into ${ofTable} values (1, ${places.join(', ')})`, Object.values(values));
  const select = () => sql.unsafe<Record<string, string>[]>(`select * from ${ofTable}`);
  const define = (previous: ReturnType<typeof plaintext<string>>) =>
    defineFields({ [table]: Object.fromEntries(names.map((name) => [name, field.text({ previous })])) });
  const run = async (mode: 'encrypt' | 'decrypt', previous: ReturnType<typeof plaintext<string>>) =>
    migrate(database, table, mode, { client, fields: define(previous) as never });

  expect(await run('encrypt', plaintext())).toMatchObject({ done: true, failures: [] });
  const [sealed] = await select();
  expect(names.filter((name) => !sealed?.[name]?.startsWith('eaasA'))).toEqual([]);
  const back = plaintext(String, { write: String });
  expect(await run('decrypt', back)).toMatchObject({ done: true, failures: [] });
  expect(await select()).toEqual([{ id: 1, ...values }]);
});

test('where a trigger makes another text of what is written, nothing is written', async () => {
  await fillMembers(3);
  await sql.unsafe(`create function lowered() returns trigger language plpgsql as
    'begin new.email := lower(new.email); return new; end'`);
  await sql.unsafe('create trigger lowered before update on members for each row execute function lowered()');
  const before = await stored();
  const { done, failures } = await encrypt();
  expect([done, failures.map(({ code }) => code)]).toEqual([false, ['store', 'store', 'store']]);
  expect(await stored()).toEqual(before);
  await sql.unsafe('drop function lowered cascade');
});

test('a role from which row-level security may hide rows converts none', async () => {
  await fillMembers(3);
  await sql.unsafe(
    'create policy own on members using (id = 1); alter table members enable row level security',
  );
  await sql`alter table members force row level security`;
  await expect(encrypt()).rejects.toThrow(
    'row-level security may hide rows of members: connect as its owner',
  );
  await sql`alter table members no force row level security`;
  expect(await encrypt()).toMatchObject({ done: true, progress: { rewritten: 3 } });
});

describe('in place', () => {
  beforeEach(() => fillMembers(50));

  test('every row is encrypted and indexed, and neither a dry run nor a second one changes anything', async () => {
    const dry = await encrypt({ dryRun: true });
    expect(dry).toMatchObject({ done: false, progress: { rewritten: 50 }, left: { count: 50 } });
    const result = await encrypt({ pageSize: 20 });
    expect(result).toMatchObject({ done: true, failures: [], left: { count: 0, ids: [] } });
    expect(result.progress).toMatchObject({ seen: 50, rewritten: 50, total: 50, checked: 50 });
    expect(await readMembers()).toEqual(expected(50));
    const { email_index } = await records.where('members', { email: 'member7@example.com' });
    expect(await sql`select id from members where email_index in ${sql(email_index)}`).toEqual([{ id: '7' }]);
    await sql.unsafe(result.constraints ?? '');
    const before = await stored();
    expect(await encrypt()).toMatchObject({ done: true, progress: { rewritten: 0, skipped: 50 } });
    expect(await stored()).toEqual(before);
  });

  test('concealed columns are encrypted as others, also a value that looks like a copy of a handle', async () => {
    await sql`update members set name = '[concealed]' where id = 1`;
    const { name, email } = fields.tables.members;
    const concealed = defineFields({ members: { name: name.concealed(), email: email.concealed() } });
    expect(await encrypt({ fields: concealed })).toMatchObject({
      done: true,
      failures: [],
      left: { count: 0 },
    });
    expect(await readMembers()).toEqual(
      expected(50).with(0, { ...expected(1)[0], name: '[concealed]' } as never),
    );
  });

  test('a run whose database fails at any statement, before or after it has run it, is completed by the next', async () => {
    for (let deadly = 1; ; deadly++) {
      for (const isAfter of [false, true]) {
        await fillMembers(9);
        let [statements, told] = [0, 0];
        const dying: SqlDatabase = {
          async query(statement, parameters) {
            if (++statements > deadly || (statements === deadly && !isAfter)) throw new Error('killed');
            const rows = await sql.unsafe(statement, parameters);
            if (statements === deadly) throw new Error('killed');
            return rows;
          },
        };
        const onProgress = ({ seen }: MigrateProgress) => {
          told = seen;
        };
        const result = await encrypt({ pageSize: 4, onProgress }, dying).catch(() => undefined);
        const encrypted = (await stored()).filter(({ email }) => email.startsWith('eaas'));
        expect(encrypted.length).toBeGreaterThanOrEqual(told);
        expect(await encrypt({ pageSize: 4 })).toMatchObject({ done: true, left: { count: 0 } });
        expect(await readMembers()).toEqual(expected(9));
        expect(await stored()).toEqual(expect.arrayContaining([...encrypted]));
        if (result) return;
      }
    }
  });

  test('a text that looks like a ciphertext is refused, and listed without its value', async () => {
    const ciphertext = await client.encrypt('of somewhere else');
    await sql`update members set name = ${ciphertext} where id = 4`;
    await sql`update members set name = 'eaasAhead of time' where id = 5`;
    const result = await encrypt();
    const says = /^members\.name of row 4: .*looks like a ciphertext.*allowCiphertexts/;
    const message = expect.stringMatching(says) as string;
    expect(result).toMatchObject({
      done: false,
      left: { count: 1, ids: ['4'] },
      progress: { failed: 1 },
      failures: [{ id: '4', code: 'decryption', field: 'name', message }],
    });
    expect(JSON.stringify(result)).not.toContain(ciphertext.slice(40, 80));
    const { name } = await records.decryptRow('members', '5', { ...(await stored())[4] });
    expect(name).toBe('eaasAhead of time');
  });

  test('a row that violates a constraint is listed, and does not stop the others of its page', async () => {
    await sql`update members set email = ' MEMBER7@example.com' where id = 12`;
    const { done, failures, left } = await encrypt();
    expect({ done, left: left.count }).toEqual({ done: false, left: 1 });
    expect(failures).toMatchObject([{ code: 'store', message: expect.stringContaining('23505') as string }]);
    expect(String(failures[0]?.message)).not.toContain('example.com');
    expect(left.ids).toEqual([failures[0]?.id]);
    await sql`update members set email = 'twelve@example.com' where id = ${left.ids[0] ?? ''}`;
    expect(await encrypt()).toMatchObject({ done: true });
  });

  test('an index column that is new is filled, and the ciphertexts stay as they are', async () => {
    await encrypt();
    const before = await stored();
    await sql`update members set email_index = null`;
    expect(await encrypt()).toMatchObject({ progress: { rewritten: 50 } });
    expect(await stored()).toEqual(before);
  });
});

test.each([
  ['a column that is too short', 'email varchar(100)', {}, /\.email` is character varying\(100\).* 220 /],
  ['a column of another type', 'email date', {}, /members\.email.* is date.*: change its type to text/],
  ['a missing column', 'mail text', {}, /no column `email` for a field: add it.*did you mean `mail`\?/],
  ['an id that is not unique', 'email text', { id: 'grp' }, /`members\.grp` must be unique.*pass the/],
  ['an id that is missing', 'email text', { id: 'key' }, /no column `key` for the row ids: pass the/],
  ['a missing table', 'email text', { table: 'nobody' }, /no table "nobody"/],
  ['a column of no field', 'email text', { columns: { mail: 'x' } }, /`members\.mail` is not defined/],
  ['no column of the person', 'email text', { fields: ofPeople }, /no column `who` that names the person/],
  ['no definition', 'email text', { fields: undefined }, /a table needs its definition: pass/],
  ['an unknown option', 'email text', { colums: {} }, /did you mean `columns`/],
])('%s is refused before anything is written', async (_, column, more, message) => {
  await sql`drop table if exists members`;
  const columns = `id int primary key, grp int, name text, email_index text, ${column}`;
  await sql.unsafe(`create table members (${columns})`);
  await expect(encrypt(more)).rejects.toThrow(message);
});

test.each([
  ['a value that `plaintext` refuses', {}, /^visits\.name of row 1: .*threw an error.*: let it read every/],
  ['a column that the driver parses', { v0: {} }, /return `visits\.name_new` as a text .*: turn off/],
  ['an id that is neither text nor number', { id: {} }, /the ids of `visits` must be .*: name another/],
  ['a query that the database refuses', undefined, /did not .*"visits" \(code 42501\): look the code up/],
])('an error about %s names the place and what to do, and no value', async (_, replaced, message) => {
  await sql`drop table if exists visits`;
  await sql`create table visits (id int primary key, name_new text)`;
  await sql`insert into visits values (1, 'Ada')`;
  const strict = plaintext((stored): string => {
    throw new Error(String(stored));
  });
  const fields = defineFields({ visits: { name: field.text({ previous: strict }) } });
  const replacing: SqlDatabase = {
    async query(statement, parameters) {
      const found = await sql.unsafe(statement, parameters);
      if (!statement.includes('as v0')) return [...found];
      if (!replaced) throw Object.assign(new Error('Ada'), { code: '42501' });
      return found.map((each) => Object.assign({}, each, replaced));
    },
  };
  const run = migrate(replacing, 'visits', 'encrypt', { client, fields, columns: { name: 'name_new' } });
  const failures = await run.then((result) => result.failures).catch((error: Error) => [error]);
  const said = failures.map((failure) => failure.message).join('\n');
  expect(said).toMatch(message);
  expect(said).not.toContain('Ada');
});

describe('rows of people', () => {
  const name = field.text({ previous: plaintext() });
  const people = defineFields({
    members: { subject: 'personId', name },
    notes: {
      subject: ({ ward, personId }) => `${String(ward)}/${String(personId)}`,
      ...unencrypted('ward', 'personId'),
      name,
    },
  });
  const own = { client, fields: people, table: 'people', columns: { personId: 'person_id' } };
  const encryptAs = (table = 'members', on = database) => migrate(on, table as 'members', 'encrypt', own);
  const read = async (table: 'members' | 'notes' = 'members') => {
    const rows = await sql<{ id: number }[]>`
      select id, name, ward, person_id as "personId" from people order by id`;
    return people
      .for(client)
      .decryptRows(table, rows as never, (row: { id: number }) => row.id, { settled: true });
  };

  beforeEach(async () => {
    await sql`drop table if exists people`;
    await sql`create table people (id int primary key, name text, ward text not null, person_id int)`;
    await sql`
      insert into people select n, 'Name ' || n, 'A', n % 3 from generate_series(1, 9) n`;
  });

  test.each(['members', 'notes'] as const)('of %s are encrypted for each person', async (table) => {
    const result = await encryptAs(table);
    expect(result).toMatchObject({ done: true, progress: { rewritten: 9 } });
    expect(result.constraints).not.toContain('person');
    expect(await read(table)).toMatchObject(
      range(1, 9).map((id) => ({ ok: true, value: { name: `Name ${id}`, personId: id % 3 } })),
    );
    await sql`update people set person_id = 1`;
    expect((await read(table)).map(({ ok }) => ok)).toEqual(range(1, 9).map((id) => id % 3 === 1));
    // A second run says which values are not those of their person any more.
    const again = await encryptAs(table);
    expect(again).toMatchObject({ done: false, progress: { rewritten: 0, skipped: 3, failed: 6 } });
  });

  test('a row that names nobody fails alone, and values of nobody stay', async () => {
    const [old] = await defineFields({ members: { name } })
      .for(client)
      .encryptRows('members', [{ name: 'Name 2' }], () => 2);
    await sql`update people set name = ${old?.name ?? ''} where id = 2`;
    await sql`update people set person_id = null where id = 5`;
    expect(await encryptAs()).toMatchObject({
      done: false,
      progress: { rewritten: 7, skipped: 1, failed: 1 },
      failures: [{ id: 5, message: expect.stringMatching(/members\.personId.*person of row 5.*got null/) }],
      left: { count: 1, ids: [5] },
    });
    expect((await read())[1]).toMatchObject({ ok: true, value: { name: 'Name 2' } });
    expect(await sql`select name from people where id = 2`).toEqual([{ name: old?.name }]);
  });

  test('the ciphertexts of an erased person stay, and their plaintext is a failure', async () => {
    await sql`update people set person_id = 901 where id = 3`;
    await encryptAs();
    await client.subjects.erase({ subject: '901' });
    const again = await encryptAs();
    expect(again).toMatchObject({ done: true, progress: { skipped: 8, erased: 1, failed: 0 }, failures: [] });
    await sql`update people set name = 'Name 3' where id = 3`;
    expect(await encryptAs()).toMatchObject({
      done: false,
      progress: { skipped: 8, erased: 0, failed: 1 },
      failures: [{ id: 3, field: 'name', code: 'subject_erased' }],
      left: { count: 1 },
    });
  });

  test('a row that moves to another person meanwhile is left alone', async () => {
    const moving: SqlDatabase = {
      async query(statement, parameters) {
        if (statement.includes('update')) await sql`update people set person_id = 7 where id = 4`;
        return sql.unsafe(statement, parameters);
      },
    };
    expect(await encryptAs('members', moving)).toMatchObject({ done: true, progress: { rewritten: 9 } });
    expect((await read())[3]).toMatchObject({ ok: true, value: { name: 'Name 4', personId: 7 } });
  });
});

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

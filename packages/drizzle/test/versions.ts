// Two versions of an app at once, with Drizzle and with SQL: a table and its columns get other names, and then the app leaves Eaas.
import { eq } from 'drizzle-orm';
import type { withEncryption } from '@eaas/drizzle/pg';
import { type MigrateMode, migrate, type SqlDatabase } from '@eaas/migrate';
import { defineFields, field, type FieldsTables, plaintext, unencrypted } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import { openApp, type Row, type Version } from '@eaas/test-kit/orms/versions';
import { expect, test } from 'vitest';
import { type Dialect, dialects } from './dialects.ts';
import type { Opened } from './drivers.ts';

const { eaas, index } = await createClient();
const names = { mail: { table: 'people', field: 'mail' }, tag: { table: 'people', field: 'tag' } };

/** The options of `email`, and of `code`, in each version of the app. */
const older = plaintext(String, { write: String });
const versions = {
  before: {},
  renamed: { renamedFrom: names },
  present: { renamedFrom: names, write: 'present' },
  after: {},
  reading: { previous: plaintext(String) },
  writing: { previous: older },
} as const;
type Name = keyof typeof versions;

/** The table of a version, its columns, and their fields. */
function definedBy(name: Name) {
  const { renamedFrom, ...options } = { renamedFrom: undefined, ...versions[name] };
  const [table, email, code] = name === 'before' ? ['people', 'mail', 'tag'] : ['users', 'email', 'code'];
  const fields = {
    email: field.text({ ...options, renamedFrom: renamedFrom?.mail }).searchable(),
    code: field.text({ ...options, renamedFrom: renamedFrom?.tag }).searchable({ boundTo: names.tag }),
  };
  return { table, columns: { email, code }, fields } as const;
}

type Encrypt = typeof withEncryption;
type Opening = { readonly version: Version; readonly database: SqlDatabase; readonly convert: Convert };
type Convert = (mode: MigrateMode, query: SqlDatabase['query']) => ReturnType<typeof migrate>;

function withDrizzle(dialect: Dialect, { drizzle }: Opened, encrypting: Encrypt, name: Name): Opening {
  const { table, columns, fields } = definedBy(name);
  const users = dialect.encryptedTable(table, {
    id: dialect.text().primaryKey(),
    email: dialect.encrypted(columns.email, fields.email),
    code: dialect.encrypted(columns.code, fields.code).unique(),
  });
  const db = encrypting(drizzle(), eaas, { index });
  const source = db.$encryptedTable(users as never);
  const version: Version = {
    insert: async (row) => db.insert(users).values(row as never),
    update: async (id, email) =>
      db
        .update(users)
        .set({ email } as never)
        .where(eq(users.id, id)),
    async find(by, value) {
      return (await db.select({ id: users.id }).from(users).where(eq(users[by], value))).map(({ id }) => id);
    },
    read: async () => (await db.select().from(users)) as Row[],
  };
  const convert: Convert = async (mode, query) => {
    const database = { ...source.database, query };
    return migrate({ $encryptedTable: () => ({ ...source, database }) }, table, mode, {
      client: eaas,
      pageSize: 4,
    });
  };
  return { version, database: source.database as SqlDatabase, convert };
}

function withSql({ sql }: Opened, { database }: Opening, name: Name): Opening {
  const { table, columns, fields: own } = definedBy(name);
  const tables = { [table]: { ...unencrypted('id'), [columns.email]: own.email, [columns.code]: own.code } };
  const fields = defineFields<FieldsTables>(tables);
  const records = fields.for(eaas, { index } as never);
  const quoted = (value: unknown) => (value === null ? 'null' : `'${String(value)}'`);
  const seal = async (id: string, row: object) => Object.entries(await records.encryptRow(table, id, row));
  const version: Version = {
    async insert({ id, email, code }) {
      const row = await seal(id, { id, [columns.email]: email, [columns.code]: code });
      const values = row.map(([, value]) => quoted(value)).join();
      return sql(`insert into ${table} (${row.map(([column]) => column).join()}) values (${values})`);
    },
    async update(id, email) {
      const set = (await seal(id, { [columns.email]: email })).map(
        (each) => `${each[0]} = ${quoted(each[1])}`,
      );
      return sql(`update ${table} set ${set.join()} where id = '${id}'`);
    },
    async find(by, value) {
      const found = Object.entries(await records.where(table, { [columns[by]]: value } as never));
      const [column, marks] = found[0] as [string, string[]];
      const rows = await sql(`select id from ${table} where ${column} in (${marks.map(quoted).join()})`);
      return rows.map(({ id }) => String(id));
    },
    async read() {
      const rows = await sql(`select * from ${table}`);
      const opened = await records.decryptRows(table, rows, ({ id }) => id as never);
      return opened.map((row) => {
        const { id, [columns.email]: email, [columns.code]: code } = row as Record<string, string>;
        return { id, email, code } as Row;
      });
    },
  };
  const convert: Convert = async (mode, query) =>
    migrate({ ...database, query }, table, mode, { client: eaas, fields, index, pageSize: 4 });
  return { version, database, convert };
}

const table = `create table users
  (id varchar(36) primary key, email text, email_index varchar(64), code text, code_index varchar(64) unique)`;
const view = `create view people as
  select id, email as mail, email_index as mail_index, code as tag, code_index as tag_index from users`;
const triggers = [
  `create trigger inserted instead of insert on people begin
    insert into users values (new.id, new.mail, new.mail_index, new.tag, new.tag_index); end`,
  `create trigger updated instead of update on people begin
    update users set email = new.mail, email_index = new.mail_index where id = new.id; end`,
];

export function testVersions(
  name: keyof typeof dialects,
  open: () => Promise<Opened>,
  encrypting: unknown,
): void {
  test.each(['Drizzle', 'SQL'])(
    'two versions with %s rename and leave, and no kill loses anything',
    async (way) => {
      const place = await open();
      const all = [table, view, ...(name === 'SQLite' ? triggers : [])];
      for (const statement of all) await place.sql(statement);
      const opened = (version: Name): Opening => {
        const own = withDrizzle(dialects[name], place, encrypting as Encrypt, version);
        return way === 'SQL' ? withSql(place, own, version) : own;
      };
      const [v1, v2, v3, v4] = (['before', 'renamed', 'present', 'after'] as const).map(opened) as [
        Opening,
        Opening,
        Opening,
        Opening,
      ];
      const app = openApp();
      const { query } = v4.database;
      await app.act([v1.version], 12);
      await app.act([v1.version, v2.version], 30);
      await app.act([v2.version, v3.version], 30);
      await app.convert(query, [v3.version, v2.version], (own) => v3.convert('reencrypt', own));
      await app.act([v4.version], 20);

      const [reading, writing] = [opened('reading'), opened('writing')];
      await app.act([v4.version, reading.version], 10);
      await app.act([reading.version, writing.version], 30);
      await app.convert(query, [writing.version, reading.version], (own) => writing.convert('decrypt', own));
      const plain = await place.sql('select id, email, code from users');
      expect(new Map(plain.map((row) => [row['id'], { ...row }]))).toEqual(new Map(app.rows));
    },
  );
}

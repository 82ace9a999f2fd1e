// Two versions of an app at once, with Drizzle and with SQL.
import { eq } from 'drizzle-orm';
import type { withEncryption } from '@eaas/drizzle/pg';
import { migrate, type SqlDatabase } from '@eaas/migrate';
import { defineFields, type FieldsTables, unencrypted } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import {
  byId,
  definedBy,
  type OpenedVersion,
  playVersions,
  type Row,
  type VersionName,
} from '@eaas/test-kit/orms/versions';
import { expect, test } from 'vitest';
import { type Dialect, dialects } from './dialects.ts';
import type { Opened } from './drivers.ts';

const { eaas, index } = await createClient();
type Encrypt = typeof withEncryption;

function withDrizzle(dialect: Dialect, { drizzle }: Opened, encrypting: Encrypt, name: VersionName) {
  const { table, columns, fields } = definedBy(name, 'people', 'users');
  // The names of index columns are Drizzle's own.
  const of = <F extends typeof fields.code>(field: F): F => ({
    ...field,
    index: { ...field.index, column: true },
  });
  const users = dialect.encryptedTable(table, {
    id: dialect.text().primaryKey(),
    email: dialect.encrypted(columns.email, of(fields.email)),
    code: dialect.encrypted(columns.code, of(fields.code)).unique(),
  });
  const db = encrypting(drizzle(), eaas, { index });
  const source = db.$encryptedTable(users as never);
  const opened: OpenedVersion = {
    version: {
      insert: async (row) => db.insert(users).values(row),
      update: async (id, email) => db.update(users).set({ email }).where(eq(users.id, id)),
      async find(by, value) {
        const found = await db.select({ id: users.id }).from(users).where(eq(users[by], value));
        return found.map(({ id }) => id);
      },
      read: async () => (await db.select().from(users)) as Row[],
    },
    query: (...given) => source.database.query(...given),
    migrate: async (mode, query) => {
      const own = { ...source, database: { ...source.database, query } };
      return migrate({ $encryptedTable: () => own }, table, mode, { client: eaas, pageSize: 4 });
    },
  };
  return { ...opened, database: source.database };
}

type Way = (database: SqlDatabase, place: Opened, name: VersionName) => Omit<OpenedVersion, 'query'>;

const withSql: Way = (database, { sql }, name) => {
  const { table, columns, fields: own } = definedBy(name, 'people', 'users');
  const tables = { [table]: { ...unencrypted('id'), [columns.email]: own.email, [columns.code]: own.code } };
  const fields = defineFields<FieldsTables>(tables);
  const records = fields.for(eaas, { index });
  const quoted = (value: unknown) => (typeof value === 'string' ? `'${value}'` : 'null');
  const seal = async (id: string, row: object) => Object.entries(await records.encryptRow(table, id, row));
  return {
    version: {
      async insert({ id, email, code }) {
        const row = await seal(id, { id, [columns.email]: email, [columns.code]: code });
        const values = row.map(([, value]) => quoted(value)).join();
        return sql(`insert into ${table} (${row.map(([column]) => column).join()}) values (${values})`);
      },
      async update(id, email) {
        const row = await seal(id, { [columns.email]: email });
        const set = row.map(([column, value]) => `${column} = ${quoted(value)}`).join();
        return sql(`update ${table} set ${set} where id = '${id}'`);
      },
      async find(by, value) {
        const [found] = Object.entries(await records.where(table, { [columns[by]]: value } as never));
        const [column, marks] = found as [string, string[]];
        const rows = await sql(`select id from ${table} where ${column} in (${marks.map(quoted).join()})`);
        return rows.map(({ id }) => String(id));
      },
      async read() {
        const rows = await sql(`select * from ${table}`);
        const opened = await records.decryptRows(table, rows, ({ id }) => String(id));
        return opened.map((row: Record<string, unknown>) => {
          return { id: row['id'], email: row[columns.email], code: row[columns.code] } as Row;
        });
      },
    },
    migrate: async (mode, query) =>
      migrate({ ...database, query }, table, mode, { client: eaas, fields, index, pageSize: 4 }),
  };
};

const statements = [
  `create table users
    (id varchar(36) primary key, email text, email_index varchar(64), code text, code_index varchar(64) unique)`,
  `create view people as
    select id, email as mail, email_index as mail_index, code as tag, code_index as tag_index from users`,
];
const ofSqlite = [
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
      for (const statement of [...statements, ...(name === 'SQLite' ? ofSqlite : [])])
        await place.sql(statement);
      const opened = (version: VersionName): OpenedVersion => {
        const own = withDrizzle(dialects[name], place, encrypting as Encrypt, version);
        return way === 'SQL' ? { ...own, ...withSql(own.database, place, version) } : own;
      };
      const left = await playVersions(opened);
      expect(byId((await place.sql('select id, email, code from users')) as unknown as Row[])).toEqual(left);
    },
  );
}

import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eq, inArray } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { withEncryption } from '@eaas/drizzle/pg';
import { migrate as rewrite } from '@eaas/migrate';
import { defineFields, type FieldsTables, unencrypted } from '@eaas/sdk/fields';
import {
  type App,
  definedBy,
  eaas,
  index,
  playVersions,
  type Row,
  type VersionName,
} from '@eaas/test-kit/orms/versions';
import { expect, test } from 'vitest';
import { dialects, versionsOf } from './dialects.ts';
import { drivers, type Opened } from './drivers.ts';

type Name = keyof typeof dialects;
type Way = 'generate' | 'push';
type Open = () => Promise<Opened>;
type Encrypting = typeof withEncryption;

/** Returns the function that brings the database to a version of the tables. */
function migrating(name: Name, way: Way, { credentials: dbCredentials, migrate, drizzle }: Opened) {
  const folder = mkdtempSync(join(tmpdir(), 'eaas-migrations-'));
  const config = { dialect: name.toLowerCase(), schema: './schema.ts', out: './out', verbose: true };
  writeFileSync(join(folder, 'drizzle.config.json'), JSON.stringify({ ...config, dbCredentials }));
  const source = JSON.stringify(join(import.meta.dirname, 'dialects.ts'));
  return async (version: number): Promise<void> => {
    const own = `versionsOf('${name}')[${version}]`;
    const text = `import { versionsOf } from ${source}; export const { members, guests } = ${own};`;
    writeFileSync(join(folder, config.schema), text);
    const program = join(drivers.resolve('drizzle-kit'), '../bin.cjs');
    const command = ['--conditions=@eaas/source', program, way];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, command, { cwd: folder });
    // It also ends well when it fails. A table that it rebuilds has such a name for a while.
    expect([stdout, stderr].join('')).not.toMatch(/Error|__new_/);
    if (way === 'generate') await migrate(drizzle(), { migrationsFolder: join(folder, 'out') });
  };
}

const [one, two] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
const guest = { id: one, email: 'ada@x' };

/** Tests that the migrations of drizzle-kit run, keep the rows and rebuild no table. */
export function testMigrations(name: Name, ways: Way[], open: Open, encrypting: unknown): void {
  test.each(ways)('`drizzle-kit %s` changes encrypted tables', async (way) => {
    const [first, second, { members, guests }] = versionsOf(name);
    const place = await open();
    // An app starts anew after each migration.
    const start = () => (encrypting as Encrypting)(place.drizzle(), eaas, { index });
    const migrate = migrating(name, way, { ...place, drizzle: start });
    await migrate(0);
    await start().insert(first.members).values({ id: one, name: 'Ada' });
    await place.sql(`insert into guests (id, email) values ('${one}', 'ada@x')`);
    await migrate(1);
    const db = start();
    expect(await db.select().from(second.members)).toEqual([{ id: one, name: 'Ada', phone: null }]);
    expect(await db.select().from(second.guests)).toEqual([guest]);
    await db.update(second.members).set({ phone: '030' }).where(eq(second.members.id, one));
    await db.insert(second.guests).values({ id: two, email: 'eve@x' });
    const done = await rewrite(db, second.guests, 'encrypt', { client: eaas });
    expect(done).toMatchObject({ done: true, left: { count: 0 }, progress: { rewritten: 1 } });
    // The second time, nothing has changed.
    for (let time = 0; time < 2; time++) {
      await migrate(2);
      const found = start().select().from(members).where(eq(members.phone, '030'));
      expect(await found).toEqual([{ id: one, name: 'Ada', phone: '030' }]);
      expect(await start().select().from(guests).where(eq(guests.email, 'ada@x'))).toEqual([guest]);
      for (const [write, constraint] of [
        ["update members set phone = 'plain'", 'members_phone_encrypted'],
        ["update guests set email = 'plain'", 'guests_email_encrypted'],
        ['update members set phone = null', 'members_phone_index_check'],
      ] as const) {
        await expect(place.sql(write)).rejects.toThrow(constraint);
      }
    }
  });

  test.each(['Drizzle', 'SQL'])(
    'two versions with %s rename and leave, and no kill loses anything',
    async (by) => {
      const place = await open();
      for (const each of [...statements, ...(name === 'SQLite' ? ofSqlite : [])]) await place.sql(each);
      const appOf = (version: VersionName) => appWith(name, by, place, encrypting as Encrypting, version);
      const playing = playVersions(appOf, async () => place.sql('select id, email, code from users'));
      await expect(playing).resolves.toBeUndefined();
    },
  );
}

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

type Users = PgTable & Readonly<Record<string, PgColumn>> & { readonly id: PgColumn };

function appWith(
  name: Name,
  by: string,
  { drizzle }: Opened,
  encrypting: Encrypting,
  version: VersionName,
): App {
  const { encrypted, encryptedTable, table: plainTable, text } = dialects[name];
  const { table, email, code, columns } = definedBy(version);
  const users = encryptedTable(table, {
    id: text().primaryKey(),
    [email]: encrypted(columns[email] as never),
    [code]: encrypted(columns[code] as never).unique(),
  }) as never as Users;
  const db = encrypting(drizzle(), eaas, { index });
  const source = db.$encryptedTable(users as never);
  const records = defineFields<FieldsTables>({ [table]: { ...unencrypted('id'), ...columns } }).for(eaas, {
    index,
  });
  const texts = ['id', email, `${email}_index`, code, `${code}_index`].map(
    (column) => [column, text()] as const,
  );
  const stored = plainTable(table, Object.fromEntries(texts)) as never as Users;
  const [on, rows] = by === 'SQL' ? [drizzle(), stored] : [db, users];
  const seal = async (row: Row, id: unknown) =>
    (by === 'SQL' ? await records.encryptRow(table, String(id), row) : row) as never;
  async function where(column: string, value: string) {
    if (by !== 'SQL') return eq(users[column] as PgColumn, value);
    const [[index, found]] = Object.entries<string[]>(
      await records.where(table, { [column]: value } as never),
    ) as [[string, string[]]];
    return inArray(stored[index] as PgColumn, found);
  }
  return {
    insert: async (row) => on.insert(rows).values(await seal(row, row['id'])),
    update: async (id, row) =>
      on
        .update(rows)
        .set(await seal(row, id))
        .where(eq(rows.id, id)),
    async select(column, value = '') {
      const found = await on
        .select()
        .from(rows)
        .where(column ? await where(column, value) : undefined);
      return by === 'SQL' ? records.decryptRows(table, found, ({ id }) => String(id)) : found;
    },
    source,
  };
}

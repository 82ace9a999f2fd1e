// drizzle-kit and the tables of an app that changes: its migrations run, keep the rows and rebuild no table.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eq } from 'drizzle-orm';
import * as mysql from '@eaas/drizzle/mysql';
import * as pg from '@eaas/drizzle/pg';
import * as sqlite from '@eaas/drizzle/sqlite';
import { migrate as rewrite } from '@eaas/migrate';
import { isInstalled, whereAvailable } from '@eaas/test-kit/available';
import { createClient } from '@eaas/test-kit/orms/client';
import { expect, test } from 'vitest';
import {
  type Opened,
  openMySql,
  openNodePostgres,
  openServer,
  openSqlite,
  requireDrivers,
} from './drivers.ts';
import { versionsOf } from './versions.ts';

const drizzleKit = join((await requireDrivers()).resolve('drizzle-kit'), '../bin.cjs');
const { eaas, index } = await createClient();
const dialects = {
  SQLite: { dialect: 'sqlite', own: sqlite, open: openSqlite },
  PostgreSQL: { dialect: 'postgresql', own: pg, open: openNodePostgres },
  MySQL: { dialect: 'mysql', own: mysql, open: async () => openMySql(await openServer()) },
};

type Name = keyof typeof dialects;
type Way = 'generate' | 'push';

/** Returns the function that brings the database to a version of the tables. */
function migrating(name: Name, way: Way, { credentials, migrate, drizzle }: Opened) {
  const folder = mkdtempSync(join(tmpdir(), 'eaas-migrations-'));
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
  const [schema, out, dbCredentials] = ['./schema.ts', './out', credentials];
  const { dialect } = dialects[name];
  write('drizzle.config.json', JSON.stringify({ dialect, schema, out, dbCredentials, verbose: true }));
  const source = JSON.stringify(fileURLToPath(import.meta.resolve('./versions.ts')));
  return async (version: number): Promise<void> => {
    const tables = `versionsOf('${name}', ${String(way === 'generate')})[${version}]`;
    write(schema, `import { versionsOf } from ${source}; export const { members, guests } = ${tables};`);
    const command = ['--conditions=@eaas/source', drizzleKit, way];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, command, { cwd: folder });
    // It also ends well when it fails.
    expect(stderr).not.toContain('Error');
    const files =
      way === 'generate' ? readdirSync(join(folder, out)).filter((it) => it.endsWith('.sql')) : [];
    const made = files.map((file) => readFileSync(join(folder, out, file), 'utf8'));
    // A table that drizzle-kit rebuilds is called so for a while.
    expect([stdout, ...made].join('')).not.toContain('__new_');
    if (way === 'generate') await migrate(drizzle(), { migrationsFolder: join(folder, out) });
  };
}

const [one, two] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
const guest = { id: one, email: 'ada@x' };

async function expectMigrations(name: Name, way: Way): Promise<void> {
  const place = await dialects[name].open();
  const [first, second, last] = versionsOf(name, way === 'generate');
  const migrate = migrating(name, way, place);
  const { withEncryption } = dialects[name].own as typeof pg;
  // An app starts anew after each migration.
  const start = () => withEncryption(place.drizzle(), eaas, { index });
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
    const { members, guests } = last;
    const found = start().select().from(members).where(eq(members.phone, '030'));
    expect(await found).toEqual([{ id: one, name: 'Ada', phone: '030' }]);
    expect(await start().select().from(guests).where(eq(guests.email, 'ada@x'))).toEqual([guest]);
    for (const [write, constraint] of [
      ["update members set phone = 'plain'", 'members_phone_encrypted'],
      ["update guests set email = 'plain'", 'guests_email_encrypted'],
      ['update members set phone = null', 'members_phone_index_check'],
    ] as const)
      await expect(place.sql(write)).rejects.toThrow(constraint);
  }
  expect(await start().select().from(last.guests).orderBy(last.guests.id)).toHaveLength(2);
}

test.each<[Name, Way]>([
  ['SQLite', 'generate'],
  ['SQLite', 'push'],
  ['PostgreSQL', 'generate'],
  ['PostgreSQL', 'push'],
])('%s: `drizzle-kit %s` changes encrypted tables', expectMigrations);

whereAvailable('MariaDB', isInstalled('mariadbd', '/usr/sbin'), () => {
  // A second `push` fails on MariaDB also without Eaas.
  test.each<[Name, Way]>([['MySQL', 'generate']])('%s: `drizzle-kit %s` does so too', expectMigrations);
});

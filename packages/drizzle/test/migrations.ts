import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eq } from 'drizzle-orm';
import type { withEncryption } from '@eaas/drizzle/pg';
import { migrate as rewrite } from '@eaas/migrate';
import { createClient } from '@eaas/test-kit/orms/client';
import { expect, test } from 'vitest';
import { type dialects, versionsOf } from './dialects.ts';
import { drivers, type Opened } from './drivers.ts';

const { eaas, index } = await createClient();
type Name = keyof typeof dialects;
type Way = 'generate' | 'push';
type Open = () => Promise<Opened>;

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
    const start = () => (encrypting as typeof withEncryption)(place.drizzle(), eaas, { index });
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
      ] as const)
        await expect(place.sql(write)).rejects.toThrow(constraint);
    }
  });
}

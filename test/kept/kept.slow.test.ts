// What this version keeps, and what each release has kept, opens in this version: the database of a server, and those of apps.
// `npm run keep -- 0.1` runs it to keep what it made.
import { cpSync } from 'node:fs';
import { EaasClient } from '@eaas/sdk';
import { decryptBlob } from '@eaas/sdk/stream';
import { isInstalled, whereAvailable } from '@eaas/test-kit/available';
import { newDirectory } from '@eaas/test-kit/directory';
import { eaas, run } from '@eaas/test-kit/program';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { dialects } from '../../packages/drizzle/test/dialects.ts';
import { openMySql, openNodePostgres, openServer, openSqlite } from '../../packages/drizzle/test/drivers.ts';
import { letters, people, searches } from './definition.ts';
import { folderOf, keepAs, keptBy, releases } from './folder.ts';
import { keepKeys } from './keys.ts';
import { brokenPromises, promises } from './promises.ts';
import {
  clientOf as clientOfRows,
  drizzleOn,
  encryptAll,
  newRows,
  readByDrizzle,
  writeByDrizzle,
  writeByPrisma,
} from './rows.ts';
import { keepServer, membersOf, restore } from './server.ts';
import { signatures } from './signatures.ts';

const databases = {
  SQLite: openSqlite,
  PostgreSQL: openNodePostgres,
  MySQL: async () => openMySql(await openServer()),
};

const present = await newDirectory();

/** Keeps all that this version makes. */
async function keep(): Promise<void> {
  const rows = await newRows();
  const written: Record<string, Awaited<ReturnType<typeof encryptAll>>> = {
    SQL: await encryptAll(rows.client, rows.index),
    'Prisma, PostgreSQL': await writeByPrisma(rows),
  };
  for (const [name, open] of Object.entries(databases)) {
    const opened = await open();
    await writeByDrizzle(await drizzleOn(name as keyof typeof dialects, opened, rows));
    const rowsOf = async (table: string) =>
      Array.from(await opened.sql(`select * from ${table} order by id`), (row) => ({ ...row }));
    written[`Drizzle, ${name}`] = { people: await rowsOf('people'), letters: await rowsOf('letters') };
  }
  keepAs(present, 'rows', { file: rows.text(), half: rows.half, index: rows.index, written });
  keepAs(present, 'keys', await keepKeys());
  vi.unstubAllEnvs();
  keepAs(present, 'promises', promises());
  keepAs(present, 'signatures', await signatures());
  keepAs(present, 'server', await keepServer(present));
  const kept = process.env['KEEP'];
  if (kept) cpSync(present, folderOf(kept), { recursive: true });
}

whereAvailable('MariaDB', isInstalled('mariadbd', '/usr/sbin'), () => {
  beforeAll(keep);

  describe.each([present, ...releases])('what %s has kept', (release) => {
    test('the signatures of all names stand', async () => {
      const now = { signatures: await signatures() };
      expect(brokenPromises({ signatures: keptBy(release, 'signatures') }, now, release)).toEqual([]);
    });

    test.each(Object.entries(databases))(
      'Drizzle reads its rows in %s, and finds them',
      async (name, open) => {
        const { written, index, ...keys } = keptBy(release, 'rows');
        const place = { client: clientOfRows(keys), index };
        const drizzled = await drizzleOn(
          name as keyof typeof dialects,
          await open(),
          place,
          written[`Drizzle, ${name}`],
        );
        const { found, ...read } = await readByDrizzle(drizzled);
        expect(read).toMatchObject({ people, letters });
        expect(found).toEqual(searches.map(() => [people[0].id]));
      },
    );

    test('a server migrates its database, and opens every value', async () => {
      const kept = keptBy(release, 'server');
      const { env, serve } = await restore(folderOf(release), kept);
      const { code, stdout } = await run([...eaas, 'audit', 'verify'], env);
      expect([code, stdout]).toEqual([0, expect.not.stringContaining('BROKEN')]);
      await run([...eaas, 'key', 'enable', 'disabled', '--tenant', 'acme'], env);
      const { baseUrl, stop } = await serve();
      onTestFinished(stop);
      const clientOf = (keyId: string) => new EaasClient({ baseUrl, apiKey: kept.token, keyId });
      const opened = Object.entries(kept.values).map(async ([name, [keyId, value]]) => {
        const subject = name.startsWith('p-') ? { subject: name } : {};
        const text = clientOf(keyId).decrypt(value, { context: { name }, as: 'text', ...subject });
        return [name, await text.catch((error: { code?: string }) => error.code)];
      });
      expect(await Promise.all(opened)).toEqual(
        Object.keys(kept.values).map((name) => [
          name,
          { 'p-2': 'subject_erased', destroyed: 'key_state' }[name] ?? name,
        ]),
      );
      const { stream } = await decryptBlob(
        clientOf(kept.keyId),
        new Blob([Buffer.from(kept.stream, 'base64')]),
      );
      expect(await new Response(stream).text()).toBe('a stream');
    });

    test('commands print all members that they printed', async () => {
      const { members, ...kept } = keptBy(release, 'server');
      const now = { members: await membersOf(await restore(folderOf(release), kept)) };
      expect(brokenPromises({ members }, now, release)).toEqual([]);
    });
  });
});

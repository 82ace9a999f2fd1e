// Two versions of an app at once: a model and its fields get other names, and then the app leaves Eaas.
import { migrate, type MigrateMode, type SqlDatabase } from '@eaas/migrate';
import { withEncryption } from '@eaas/prisma';
import { defineFields, field, type FieldsTables, plaintext } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import { openApp, type Row, type Version } from '@eaas/test-kit/orms/versions';
import { closing } from '@eaas/test-kit/closing';
import { expect, test } from 'vitest';
import { type Client, majors, openPrisma } from './generated-client.ts';

const { eaas, index } = await createClient();
const mail = { table: 'Person', field: 'mail' };
const tag = { table: 'Person', field: 'tag' };
type Query = SqlDatabase['query'];
type Rows = readonly Readonly<Record<string, string | null>>[];
type Encrypted = Client & { $encryptedTable(name: string): { database: SqlDatabase } };

/** A version of the app, which calls a model and its fields so, and whose fields have these options. */
function versionOf(prisma: Client, [model, email, code]: readonly [string, string, string], options: object) {
  const { renamed, ...more } = { renamed: false, ...options };
  const of = (from: object, column: string) =>
    field.text({ ...more, ...(renamed && { renamedFrom: from as never }) }).searchable({
      column,
      ...(from === tag && { boundTo: tag }),
    });
  const fields = { [model]: { [email]: of(mail, `${email}Index`), [code]: of(tag, `${code}Index`) } };
  const db = withEncryption(prisma, eaas, defineFields<FieldsTables>(fields), {
    index,
  } as never) as Encrypted;
  const rows = model === 'User' ? (db as never as Record<string, Client['person']>)['user'] : db.person;
  const call = async (operation: string, args: object) => rows?.[operation]?.(args);
  const shown = (row: Rows[number]) => ({ id: row['id'], email: row[email], code: row[code] }) as Row;
  const names = { email, code };
  const version: Version = {
    insert: async (row) => call('create', { data: { id: row.id, [email]: row.email, [code]: row.code } }),
    update: async (id, value) => call('update', { where: { id }, data: { [email]: value } }),
    async find(by, value) {
      if (by === 'email' || 'previous' in more)
        return ((await call('findMany', { where: { [names[by]]: value } })) as Rows).map(({ id }) =>
          String(id),
        );
      const found = (await call('findUnique', { where: { [code]: value } })) as Rows[number] | null;
      return found ? [String(found['id'])] : [];
    },
    read: async () => ((await call('findMany', {})) as Rows).map(shown),
  };
  const convert = async (mode: MigrateMode, query: Query) => {
    const source = db.$encryptedTable(model);
    const database = { ...source.database, query };
    return migrate({ $encryptedTable: () => ({ ...source, database }) as never }, model, mode, {
      client: eaas,
      pageSize: 4,
    });
  };
  return { version, convert, query: db.$encryptedTable(model).database.query };
}

test.each(majors)(
  'two versions with Prisma %i rename and leave, and no kill loses anything',
  async (major) => {
    const { prisma, sql } = await closing(openPrisma(major, 'versions', 'versions'), (it) => it.close());
    const opened = (options: object) => versionOf(prisma, ['User', 'email', 'code'], options);
    const v1 = versionOf(prisma, ['Person', 'mail', 'tag'], {});
    const [v2, v3, v4] = [opened({ renamed: true }), opened({ renamed: true, write: 'present' }), opened({})];
    const app = openApp();
    await app.act([v1.version], 12);
    await app.act([v1.version, v2.version], 30);
    await app.act([v2.version, v3.version], 30);
    await app.convert(v3.query, [v3.version, v2.version], (query) => v3.convert('reencrypt', query));
    await app.act([v4.version], 20);

    const reading = opened({ previous: plaintext(String) });
    const writing = opened({ previous: plaintext(String, { write: String }) });
    await app.act([v4.version, reading.version], 10);
    await app.act([reading.version, writing.version], 30);
    await app.convert(v4.query, [writing.version, reading.version], (query) =>
      writing.convert('decrypt', query),
    );
    const plain = await sql`select id, email, code from users`;
    expect(new Map(plain.map((row) => [row['id'], { ...row }]))).toEqual(new Map(app.rows));
  },
);

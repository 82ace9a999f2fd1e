import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { int, serial, varchar } from 'drizzle-orm/mysql-core';
import { customType, integer, text, uuid } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import * as core from 'drizzle-orm/sqlite-core';
import { field } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import { expect, test } from 'vitest';
import * as mysql from './mysql.ts';
import * as pg from './pg.ts';
import * as sqlite from './sqlite.ts';

test('an id and a subject with `defaultRandom` are made before the insert', async () => {
  const { eaas } = await createClient();
  const ids = { id: uuid().primaryKey().defaultRandom(), person: uuid().defaultRandom() };
  const columns = { ...ids, name: pg.encrypted(field.text()) };
  const people = pg.encryptedTable('people', columns, { subject: 'person' });
  const sent: unknown[] = [];
  const plain = drizzle(async (_, params) => {
    sent.push(...params);
    return { rows: [] };
  });
  await pg.withEncryption(plain, eaas).insert(people).values({ name: 'Ada' });
  const [id, person, name] = sent;
  const records = pg.fieldsOf(people).for(eaas, {} as never);
  const opened = records.decryptRow('people', String(id), { person, name } as never);
  expect(await opened).toMatchObject({ name: 'Ada' });
});

const define = (of: object, id: object, options?: object): unknown => {
  const { encrypted, encryptedTable } = of as typeof pg;
  return encryptedTable('t', { id, of: encrypted(field.text(options)) } as never);
};
const by = (column: object, expression: string): object =>
  (column as ReturnType<typeof uuid>).primaryKey().default(sql.raw(expression));
const citext = customType({ dataType: () => 'citext' });
test.each<[string, object, object]>([
  ['another default', pg, by(uuid(), 'uuid_generate_v7()')],
  ['an unknown type', pg, by(citext(), 'gen_random_uuid()')],
  ['`autoincrement` of MySQL', mysql, int().autoincrement().primaryKey()],
  ['`serial` of MySQL', mysql, serial().primaryKey()],
  ['a default of MySQL', mysql, by(varchar({ length: 36 }), '(uuid())')],
  ['`autoIncrement` of SQLite', sqlite, core.integer().primaryKey({ autoIncrement: true })],
  ['a default of SQLite', sqlite, by(core.text(), '(hex(randomblob(16)))')],
])('an id that only the database can make is refused: %s', (_, of, id) => {
  const remedy = expect.stringMatching(/^make it with `\.\$defaultFn\(…\)`, .* swap values/) as string;
  const error = { code: 'definition', table: 't', column: 'id', remedy };
  expect(() => define(of, id)).toThrow(expect.objectContaining(error));
});

test.each<[string, object, object, object?]>([
  ['of the app', pg, text().primaryKey()],
  ['of an identity', pg, integer().primaryKey().generatedAlwaysAsIdentity()],
  ['of a function of the app', pg, by(uuid().$defaultFn(randomUUID), 'x()')],
  ['that binds no value', pg, by(uuid(), 'x()'), { context: 'field' }],
  ['of SQLite, which the app can pass', sqlite, core.integer().primaryKey()],
])('another id is not refused: %s', (_, of, id, options) => {
  expect(() => define(of, id, options)).not.toThrow();
});

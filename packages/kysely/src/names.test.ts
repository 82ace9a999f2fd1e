// Tables and columns with unusual names are refused like others, by the query builder and in raw SQL.
import { createClient } from '@eaas/test-kit/orms/client';
import { inDoubleQuotes, unusualNames } from '@eaas/test-kit/orms/names';
import { defineFields, EncryptedTableError, field, unencrypted } from '@eaas/sdk/fields';
import { type Compilable, Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { postgresOn } from '../test/dialect.ts';
import { encryptedColumns } from './index.ts';

const { eaas, index } = await createClient();
const secret = '078-05-1120';
const id = '00000000-0000-4000-8000-000000000001';

// In the text of a reference, Kysely takes a period for the end of a table's name, and cuts blanks at both ends.
const names = unusualNames.filter((name) => !name.includes('.') && name.trim() === name);

test.each(names)('%s', async (name) => {
  const [table, column] = [`t${name}`, `c${name}`];
  const fields = defineFields({ [table]: { ...unencrypted('id', 'city'), [column]: field.text() } });
  const db = new Kysely<Record<string, Record<string, unknown>>>({
    dialect: postgresOn(),
    plugins: [encryptedColumns(fields)],
  });
  const records = fields.for(eaas, { index });
  const stored = await records.encryptRow(table, id, { id, city: 'Turin', [column]: secret } as never);
  const [ofTable, ofColumn] = [table, column].map(inDoubleQuotes) as [string, string];

  const refused: (() => Compilable)[] = [
    () => db.insertInto(table).values({ ...(stored as object), [column]: secret }),
    () => db.updateTable(table).set({ [column]: secret }),
    () => db.selectFrom(table).selectAll().where(sql.ref(column), '=', secret),
    () => db.selectFrom(table).selectAll().where(column, '=', secret),
    () => db.selectFrom(`${table} as other`).selectAll().where(`other.${column}`, '=', secret),
    () =>
      db
        .selectFrom(table)
        .selectAll()
        .orderBy((eb) => eb.ref(column)),
    () => db.selectFrom(table).select(sql.raw(`lower(${ofColumn})`).as('n')),
  ];
  for (const query of refused) expect(() => query().compile()).toThrow(EncryptedTableError);
  const raw = sql.raw(`update ${ofTable} set ${ofColumn} = '${secret}'`);
  expect(() => raw.compile(db)).toThrow(EncryptedTableError);

  const sent = [db.insertInto(table).values(stored), db.selectFrom(table).select(['id', column])];
  for (const query of sent) expect(query.compile().sql).toContain(ofColumn);
});

// Raw SQL that names an encrypted table or column, whatever characters its name has.
import { sql } from 'drizzle-orm';
import { text } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { field } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import { inDoubleQuotes, unusualNames } from '@eaas/test-kit/orms/names';
import { beforeEach, describe, expect, test } from 'vitest';
import { encrypted, encryptedTable, withEncryption } from './pg.ts';

const { eaas, index } = await createClient();
const secret = '078-05-1120';

describe.each(unusualNames.map((name, nth) => [name, nth] as const))('the name %s', (name, nth) => {
  // A process has one definition of each table.
  const [tableName, columnName] = [`t${nth}${name}`, `c${nth}${name}`];
  const table = encryptedTable(tableName, {
    id: text('id').primaryKey(),
    secret: encrypted(columnName, field.text().searchable()),
  });
  const sent: string[] = [];
  beforeEach(() => void sent.splice(0));
  const plain = drizzle(async (statement) => {
    sent.push(statement);
    return { rows: [] };
  });
  const db = withEncryption(plain, eaas, { index });
  const [ofTable, ofColumn] = [tableName, columnName].map(inDoubleQuotes) as [string, string];

  test.each([
    ['an insert', `insert into ${ofTable} (${ofColumn}) values ('${secret}')`],
    ['an insert with the schema', `insert into "public".${ofTable} values ('a', '${secret}')`],
    ['an update', `UPDATE ${ofTable} SET ${ofColumn} = '${secret}'`],
    ['a copy', `copy ${ofTable} (${ofColumn}) from stdin`],
    ['a comparison', `select id from ${ofTable} where ${ofColumn} = '${secret}'`],
    ['a comparison of an alias', `select id from ${ofTable} as x where x.${ofColumn} like '${secret}'`],
  ])('in %s is refused', async (_, statement) => {
    for (const given of [statement, sql.raw(statement)]) {
      await expect(db.execute(given)).rejects.toMatchObject({ code: 'not_supported', table: tableName });
    }
    expect(sent).toEqual([]);
  });

  // What needs no quotes can be written in any case, and MySQL and SQLite find it so.
  const isBare = /^[\p{L}\p{N}_]+$/u.test(name);
  const cases = [String, (text: string) => text.toUpperCase(), (text: string) => text.toLowerCase()];

  test.each(isBare ? cases : [])('without quotes is refused too, in any case', async (inCase) => {
    const [bareTable, bareColumn] = [tableName, columnName].map((text) => inCase(text));
    for (const statement of [
      `insert into ${bareTable} values ('a', '${secret}')`,
      `select id from ${bareTable} where ${bareColumn} = '${secret}'`,
    ]) {
      await expect(db.execute(statement)).rejects.toMatchObject({ table: tableName });
    }
    expect(sent).toEqual([]);
  });

  test('in a template with the table or its identifier is refused if it compares the column', async () => {
    const comparison = sql.raw(`${ofColumn} = '${secret}'`);
    for (const of of [table, sql.identifier(tableName)]) {
      const statement = sql`select id from ${of} where ${comparison}`;
      await expect(db.execute(statement)).rejects.toMatchObject({ code: 'not_supported', table: tableName });
    }
    await expect(db.execute(sql`update ${table} set id = ${'a'}`)).rejects.toMatchObject({
      table: tableName,
    });
    expect(sent).toEqual([]);
  });

  // Databases read these differently, so that more is refused than must be.
  const isDoubtful = /--$|\\/.test(name);

  test.skipIf(isDoubtful)(
    'in what neither writes nor compares is sent, and also that of a longer name',
    async () => {
      const longer = [`${tableName}x`, `${columnName}x`].map(inDoubleQuotes) as [string, string];
      await db.execute(`select id, ${ofColumn} from ${ofTable} where id = 'a'`);
      await db.execute(`insert into ${longer[0]} (${ofColumn}) values ('a')`);
      await db.execute(`select id from ${ofTable} where ${longer[1]} = 'a'`);
      await db.execute(`delete from ${ofTable} where ${ofColumn} is null`);
      expect(sent).toHaveLength(4);
    },
  );
});

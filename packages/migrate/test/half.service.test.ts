// Changes of the second half of a table, in both directions, while old and new deployments of the app write.
import { randomBytes } from 'node:crypto';
import { EaasClient } from '@eaas/sdk';
import { createIndexKey, defineFields, field, unencrypted } from '@eaas/sdk/fields';
import { inventory, migrate, type SqlDatabase } from '@eaas/migrate';
import { halfId } from '@eaas/test-kit/decoder';
import { openServiceAndTable } from '@eaas/test-kit/service-and-table';
import { afterAll, expect, test } from 'vitest';

type Half = Buffer | null;

const fields = defineFields({
  patients: { subject: 'person', ...unencrypted('id', 'person'), name: field.text().searchable() },
});
const place = await openServiceAndTable();
afterAll(() => place.close());
const database: SqlDatabase = { query: (text, parameters) => place.sql.unsafe(text, parameters) };
const { client, keyId } = await place.connect();
const index = await createIndexKey(client);
const written: string[] = [];
let names = 0;

/** A process of the app. Each of its data keys encrypts three values, so that the table has many of them. */
function deploy(half: Half | Half[]) {
  const options = { ...place.options, keyId, half, cache: { encrypt: { maxMessages: 3 } } };
  const client = new EaasClient(options);
  const records = fields.for(client, { index });
  return {
    client,
    /** Writes a new row, and an old one again. */
    async write() {
      for (const id of [written.length + 1, 1 + (written.length % 7)]) {
        const row = { id, person: `p${id % 5}`, name: (written[id - 1] = `Name ${names++}`) };
        await place.sql`
          insert into patients ${place.sql((await records.encryptRow('patients', id, row)) as never)}
          on conflict (id) do update set name = excluded.name, name_index = excluded.name_index`;
      }
    },
    /** Reads every row by its id, and finds it by its name. */
    async expectAll() {
      const rows = await place.sql`select * from patients order by id`;
      const opened = await records.decryptRows('patients', rows as never, ({ id }: { id: number }) => id);
      expect(opened.map((row) => (row as { name?: unknown }).name)).toEqual(written);
      for (const [at, name] of written.entries()) {
        const { name_index } = await records.where('patients', { name });
        const found = await place.sql`select id from patients where name_index in ${place.sql(name_index)}`;
        expect(found).toEqual([{ id: at + 1 }]);
      }
    },
  };
}

async function writeAndRead(...apps: ReturnType<typeof deploy>[]): Promise<void> {
  for (let round = 0; round < 3; round++) for (const app of apps) await app.write();
  for (const app of apps) await app.expectAll();
}

const [one, other] = [randomBytes(32), randomBytes(32)];

test('none, a half, another, none: no value and no search result is lost on the way', async () => {
  await place.sql`create table patients (id int primary key, person text, name text, name_index text)`;
  let before: Half = null;
  let app = deploy(before);
  await writeAndRead(app);
  for (const next of [one, other, null]) {
    // Readers first, then writers: at each step, processes of two deployments run at once.
    const reading = deploy([before, next]);
    await writeAndRead(app, reading);
    const writing = deploy([next, before]);
    await writeAndRead(reading, writing);
    const { client } = deploy([next, before]);
    const count = async () =>
      (await inventory(database, 'patients', { fields, client, halves: true })).halves;
    const nameOf = (half: Half) => (half ? halfId(half) : 'none');
    const { [nameOf(before)]: earlier = 0, ...others } = (await count()) ?? {};
    expect(others).toEqual({ [nameOf(next)]: written.length - earlier });
    expect(earlier).toBeGreaterThan(0);
    const result = await migrate(database, 'patients', 'reencrypt', {
      client,
      fields,
      index,
      pageSize: 7,
      // A process of the earlier deployment is late: it writes rows behind the page that was converted.
      onProgress: async ({ seen }) => {
        if (seen <= 14) for (const app of [reading, writing]) await app.write();
      },
    });
    expect(result).toMatchObject({ done: true, failures: [], left: { count: 0 } });
    expect(await count()).toEqual({ [nameOf(next)]: written.length });
    app = deploy(next);
    await writeAndRead(writing, app);
    before = next;
  }
  expect(written.length).toBeGreaterThan(60);
});

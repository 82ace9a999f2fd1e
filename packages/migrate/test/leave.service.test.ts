// An app that leaves Eaas, and one whose field has another name than before: what is refused, what is left, and who says so.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createIndexKey, defineFields, field, plaintext, unencrypted } from '@eaas/sdk/fields';
import { inventory, migrate, type SqlDatabase } from '@eaas/migrate';
import { closing } from '@eaas/test-kit/closing';
import { newDirectory } from '@eaas/test-kit/directory';
import { blocksOf, read, root } from '@eaas/test-kit/markdown';
import { openServiceAndTable } from '@eaas/test-kit/service-and-table';
import { beforeEach, expect, test } from 'vitest';
import { command, setVariables, variablesOf } from './in-process.ts';

const place = await closing(openServiceAndTable(), (it) => it.close());
const { sql } = place;
const { client, keyId } = await place.connect();
const index = await createIndexKey(client);
const { baseUrl: EAAS_BASE_URL, apiKey: EAAS_API_KEY } = place.options;
const database: SqlDatabase = { query: (statement, parameters) => sql.unsafe(statement, parameters) };

// As packages/migrate/docs/leave.md has them, whose SQL converts what they write.
const hex = (bytes: Uint8Array) => String.raw`\x${Buffer.from(bytes).toString('hex')}`;
const columns = {
  name: field.text({ previous: plaintext(String, { write: String }) }).searchable(),
  age: field.number({ previous: plaintext(Number, { write: String }) }),
  big: field.bigint({ previous: plaintext((text) => BigInt(String(text)), { write: String }) }),
  born: field.date({
    previous: plaintext((text) => new Date(String(text)), { write: (date) => date.toISOString() }),
  }),
  notes: field.json<object>({
    previous: plaintext((text) => JSON.parse(String(text)), { write: JSON.stringify }),
  }),
  photo: field.bytes({
    previous: plaintext((text) => Buffer.from(String(text).slice(2), 'hex'), { write: hex }),
  }),
};
const fields = defineFields({ members: { subject: 'person', ...columns } });
const decrypt = (more: object = {}) =>
  migrate(database, 'members', 'decrypt', { client, fields, index, ...more });
const look = () => inventory(database, 'members', { client, fields, index });
const value = {
  name: "Ada 'King'",
  age: -1.5,
  big: 2n ** 80n,
  born: new Date('1815-12-10T00:00:00.5Z'),
  notes: { tags: ['a', null] },
  photo: new Uint8Array([0, 255]),
};
const bare = Object.fromEntries(
  Object.entries(columns).map(([name, column]) => [name, { ...column, previous: undefined }]),
) as typeof columns;
const records = defineFields({ members: { subject: 'person', ...unencrypted('id'), ...bare } }).for(client, {
  index,
});

let round = 0;
beforeEach(async () => {
  round++;
  await sql`drop table if exists members`;
  await sql`create table members (id int primary key, person text, name text, name_index text unique, age text, big text,
    born text, notes text, photo text)`;
  for (const id of [1, 2, 3]) {
    const row = { ...value, id, person: `p${round}-${id}`, name: `${value.name} ${id}` };
    await sql`insert into members ${sql(await records.encryptRow('members', id, row))}`;
  }
});

test('promise: every type becomes the text that `plaintext` reads, which `alter table` converts, and loses nothing', async () => {
  expect(await look()).toMatchObject({
    next: expect.stringContaining("run 'decrypt' (18 ciphertexts") as string,
  });
  const marks = await sql`select id, name_index from members`;
  expect(await decrypt({ dryRun: true })).toMatchObject({ done: false, left: { count: 3 } });
  expect(await decrypt()).toMatchObject({ done: true, progress: { rewritten: 3 }, constraints: undefined });
  expect(await look()).toMatchObject({
    plaintexts: 18,
    next: expect.stringContaining('without it') as string,
  });
  expect(await sql`select id, name_index from members`).toEqual(marks);
  for (const block of blocksOf(read('packages/migrate/docs/leave.md'), 'sql')) await sql.unsafe(block);
  const [row] = await sql`select * from members where id = 2`;
  const photo = Buffer.from(value.photo);
  expect(row).toEqual({
    ...value,
    id: 2,
    person: `p${round}-2`,
    name: "Ada 'King' 2",
    big: String(value.big),
    photo,
  });
});

test('promise: nothing is half decrypted: a value that would not be read again stays, and so does its row', async () => {
  const age = field.number({ previous: plaintext(Number, { write: (number) => number.toFixed(0) }) });
  const bytes = field.number({
    previous: plaintext(Number, { write: (number) => Buffer.from(`${number}`) }),
  });
  for (const other of [age, bytes]) {
    const before = await sql`select * from members`;
    const found = await decrypt({
      fields: defineFields({ members: { subject: 'person', ...columns, age: other } }),
    });
    expect(found).toMatchObject({
      done: false,
      failures: [{ code: 'unread' }, { code: 'unread' }, { code: 'unread' }],
    });
    expect(found.failures[0]?.message).toMatch(/^members\.age of row 1: what `write`/);
    expect(await sql`select * from members`).toEqual(before);
  }
});

test('promise: what an app still encrypts, a check refuses or an erasure took is not called decrypted', async () => {
  const members = { subject: 'person', ...columns, age: bare.age } as const;
  await expect(decrypt({ fields: defineFields({ members }) })).rejects.toThrow('members.age has no `write`');
  await sql`alter table members add constraint own check (name like 'eaasA%') not valid`;
  await expect(decrypt()).rejects.toThrow("the table refuses plaintext by check ( name like 'eaasA%' )");
  await sql`alter table members drop constraint own`;
  await client.subjects.erase({ subject: `p${round}-2` });
  const message = expect.stringContaining('pass `leaveErased`') as string;
  expect(await decrypt()).toMatchObject({ done: false, failures: [{ id: 2, code: 'erased', message }] });
  const left = { done: true, progress: { erased: 1 }, left: { count: 0 } };
  expect(await decrypt({ leaveErased: true })).toMatchObject(left);
  await sql`update members set age = '7' where id = 2`;
  expect(await decrypt({ leaveErased: true })).toMatchObject(left);
});

const folder = await newDirectory();
let app = 0;
/** Saves the definition of the app, which the commands load. */
const save = async (members: string) =>
  writeFile(
    join(folder, `${++app}.mjs`),
    `import { defineFields, field, plaintext, unencrypted } from '${root}packages/sdk/src/fields/fields.ts';
    export const fields = defineFields({ ${members} });`,
  );
setVariables({
  ...variablesOf(place.connection),
  EAAS_BASE_URL,
  EAAS_API_KEY,
  EAAS_KEY_ID: keyId,
  EAAS_INDEX_KEY: index,
});
const run = async (name: string, ...args: string[]) => {
  const { code, stdout, stderr } = await command(name, join(folder, `${app}.mjs`), ...args);
  return [code, stdout + stderr] as const;
};

test('`decrypt` needs `--yes`, and `--leave-erased` for what nobody can read', async () => {
  const name = 'field.text({ previous: plaintext(String, { write: String }) }).searchable()';
  await save(`members: { subject: 'person', name: ${name} }`);
  await client.subjects.erase({ subject: `p${round}-2` });
  expect(await run('decrypt', 'members')).toEqual([2, expect.stringContaining('pass `--yes`')]);
  const said = expect.stringMatching(
    /^members of row 2: nobody can read.*\n2 rows decrypted, 1 left, 0 left of erased/,
  );
  expect(await run('decrypt', 'members', '--yes')).toEqual([1, said]);
  expect(await run('decrypt', 'members', '--yes', '--leave-erased')).toEqual([
    0,
    expect.stringContaining('0 left, 1 left'),
  ]);
  expect((await sql`select name from members where id = 3`)[0]).toEqual({ name: "Ada 'King' 3" });
});

test('`check` names what is left under an earlier name, and a unique index keeps its name', async () => {
  const people = { table: 'members', field: 'name' };
  const write = async (more: object) => {
    const full = `field.text(${JSON.stringify(more)}).searchable()`;
    await save(`users: { subject: 'person', ...unencrypted('id'), full: ${full}, note: field.text() }`);
  };
  await sql`alter table members rename to users`;
  await sql`alter table users rename column name to "full"`;
  await sql`alter table users rename column name_index to full_index`;
  await sql`alter table users drop age, drop big, drop born, drop notes, drop photo, add note text`;
  const options = { renamedFrom: people, write: 'present' } as const;
  await write(options);
  expect(await run('check')).toEqual([
    2,
    expect.stringContaining("boundTo: { table: 'members', field: 'name' } })`"),
  ]);
  const full = field.text(options).searchable();
  const moved = { client, index, fields: defineFields({ users: { subject: 'person', full } }) };
  await expect(migrate(database, 'users', 'reencrypt', moved)).rejects.toThrow('compares `full_index`');
  await sql`alter table users drop constraint members_name_index_key`;
  await sql`create index on users (full_index)`;
  const renamed = (text: string) => expect.stringContaining(`users.full: expected ${text}`);
  expect(await run('check')).toEqual([
    1,
    renamed('values under its name, found 3 rows under earlier ones, first 1'),
  ]);
  expect(await migrate(database, 'users', 'reencrypt', moved)).toMatchObject({
    done: true,
    progress: { rewritten: 3 },
  });
  expect(await run('check', '--all')).toEqual([
    1,
    renamed('values under `renamedFrom`, found none: remove it'),
  ]);
  await write({ renamedFrom: people });
  expect(await run('check')).toEqual([0, renamed("one name, found `renamedFrom`: add `write: 'present'`")]);
  await sql`drop table users`;
});

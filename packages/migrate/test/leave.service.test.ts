// An app that leaves Eaas, and one whose field has another name than before: what is refused, what is left, and who says so.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createIndexKey,
  defineFields,
  field,
  type FieldsDefinition,
  type FieldsTables,
  plaintext,
  unencrypted,
} from '@eaas/sdk/fields';
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
const { baseUrl, apiKey } = place.options;
const variables = { EAAS_BASE_URL: baseUrl, EAAS_API_KEY: apiKey, EAAS_KEY_ID: keyId, EAAS_INDEX_KEY: index };
setVariables({ ...variablesOf(place.connection), ...variables });
const database: SqlDatabase = { query: (statement, parameters) => sql.unsafe(statement, parameters) };

const folder = await newDirectory();
let apps = 0;
/** Saves the code of a definition, and returns what runs a command on it. */
async function save(code: string) {
  const path = join(folder, `${++apps}.ts`);
  await writeFile(path, code.replace('@eaas/sdk/fields', `${root}packages/sdk/src/fields/fields.ts`));
  const run = async (name: string, ...args: string[]) => {
    const { code, stdout, stderr } = await command(name, path, ...args);
    return [code, stdout + stderr] as const;
  };
  return { run, path };
}
const says = (text: string) => expect.stringContaining(text) as string;

const page = read('packages/migrate/docs/leave.md');
const { run, path } = await save(
  String(blocksOf(page, 'ts')).replace('members: {', "members: { subject: 'person',"),
);
const { fields } = (await import(path)) as { fields: FieldsDefinition<FieldsTables> };
const bare = {
  name: field.text().searchable(),
  age: field.number(),
  born: field.date(),
  notes: field.json<object>(),
  photo: field.bytes(),
};
const members = { subject: 'person', ...unencrypted('id'), ...bare } as const;
const records = defineFields({ members }).for(client, { index });
const value = {
  name: "Ada 'King'",
  age: -1.5,
  born: new Date('1815-12-10T00:00:00.5Z'),
  notes: { tags: ['a', null] },
  photo: Buffer.from([0, 255]),
};
const decrypt = async (more: object) =>
  migrate(database, 'members', 'decrypt', { client, fields, index, ...more });
const look = async () => inventory(database, 'members', { client, fields, index });

let round = 0;
beforeEach(async () => {
  round++;
  await sql`drop table if exists members`;
  await sql`create table members (id int primary key, person text, name text, name_index text unique, age text, born text,
    notes text, photo text)`;
  for (const id of [1, 2, 3]) {
    const row = { ...value, id, person: `p${round}-${id}`, name: `${value.name} ${id}` };
    await sql`insert into members ${sql(await records.encryptRow('members', id, row))}`;
  }
});

test('promise: `decrypt` loses nothing: `plaintext` reads what it writes, and `alter table` converts it', async () => {
  const marks = await sql`select id, name_index from members order by id`;
  await client.subjects.erase({ subject: `p${round}-2` });
  expect(await run('decrypt', 'members')).toEqual([2, says('pass `--yes`')]);
  expect(await decrypt({ dryRun: true })).toMatchObject({ done: false, left: { count: 3 } });
  expect(await look()).toMatchObject({ next: says("run 'decrypt' (15 ciphertexts") });
  const left = '2 rows decrypted, 1 left, 0 left of erased';
  expect(await run('decrypt', 'members', '--yes')).toEqual([1, says(`pass \`leaveErased\`\n${left}`)]);
  // What is not of the person can still be read.
  await sql`update members set age = '7' where id = 2`;
  expect(await run('decrypt', 'members', '--yes', '--leave-erased')).toEqual([0, says('0 left, 1 left')]);
  expect(await sql`select id, name_index from members order by id`).toEqual(marks);
  await sql`delete from members where id = 2`;
  expect(await look()).toMatchObject({ plaintexts: 10, next: says('without it') });
  for (const block of blocksOf(page, 'sql')) await sql.unsafe(block);
  const [row] = await sql`select * from members where id = 3`;
  expect(row).toEqual({ ...value, id: 3, person: `p${round}-3`, name: "Ada 'King' 3" });
});

test('promise: a value of nobody beside one of an erased person is never left behind', async () => {
  // As the app wrote it before the table had `subject`.
  const ofNobody = defineFields({ members: { lowEntropy: 'accepted', ...unencrypted('id'), ...bare } });
  const { age } = await ofNobody.for(client, { index }).encryptRow('members', 2, { age: 7 });
  await sql`update members set age = ${age} where id = 2`;
  await client.subjects.erase({ subject: `p${round}-2` });

  const left = '2 rows decrypted, 1 left, 0 left of erased';
  expect(await run('decrypt', 'members', '--yes', '--leave-erased')).toEqual([1, says(left)]);
  const [row] = await sql`select age from members where id = 2`;
  expect(row).toEqual({ age });
});

test.each([
  ['would not be read again', plaintext(Number, { write: (number) => number.toFixed(0) })],
  ['is no text', plaintext(Number, { write: (number) => Buffer.from(`${number}`) })],
])(
  'promise: nothing is half decrypted: a value whose plaintext %s stays, and so does its row',
  async (_, previous) => {
    const before = await sql`select * from members`;
    const age = { ...fields.tables['members'], age: field.number({ previous }) };
    const { done, failures } = await decrypt({ fields: defineFields({ members: age }) });
    expect([done, ...failures.map(({ code }) => code)]).toEqual([false, 'unread', 'unread', 'unread']);
    expect(failures[0]?.message).toMatch(/^members\.age of row 1: what `write`/);
    expect(await sql`select * from members`).toEqual(before);
  },
);

test('promise: what an app still encrypts, and what a check refuses, is not decrypted', async () => {
  await expect(decrypt({ fields: defineFields({ members }) })).rejects.toThrow('members.name has no `write`');
  await sql`alter table members add constraint own check (name like 'eaasA%') not valid`;
  await expect(decrypt({})).rejects.toThrow("the table refuses plaintext by check ( name like 'eaasA%' )");
});

test('`check` names what is left under an earlier name, and a unique index keeps its name', async () => {
  const renamedFrom = { table: 'members', field: 'name' };
  const define = async (more: object) => {
    const options = JSON.stringify(more);
    return save(`import { defineFields, field, unencrypted } from '@eaas/sdk/fields';
      export const fields = defineFields({ users: { subject: 'person', ...unencrypted('id'),
        full: field.text(${options}).searchable(), note: field.text() } });`);
  };
  await sql`drop table if exists users`;
  await sql.unsafe(`alter table members drop age, drop born, drop notes, drop photo, add note text;
    alter table members rename name to "full"; alter table members rename name_index to full_index;
    alter table members rename to users`);
  const options = { renamedFrom, write: 'present' } as const;
  const present = await define(options);
  expect(await present.run('check')).toEqual([2, says("boundTo: { table: 'members', field: 'name' } })`")]);
  await sql.unsafe(
    'alter table users drop constraint members_name_index_key; create index on users (full_index)',
  );
  const finds = (text: string) => says(`users.full: expected ${text}`);
  const found = 'values under its name, found 3 rows under earlier ones, first 1';
  expect(await present.run('check')).toEqual([1, finds(found)]);
  const full = field.text(options).searchable();
  const moved = { client, index, fields: defineFields({ users: { subject: 'person', full } }) };
  expect(await migrate(database, 'users', 'reencrypt', moved)).toMatchObject({
    done: true,
    progress: { rewritten: 3 },
  });
  expect(await present.run('check', '--all')).toEqual([
    1,
    finds('values under `renamedFrom`, found none: remove it'),
  ]);
  // It has not read all rows, so it cannot say that none is left.
  expect(await present.run('check')).toEqual([0, expect.not.stringContaining('remove it')]);
  const { run } = await define({ renamedFrom });
  expect(await run('check')).toEqual([0, finds("one name, found `renamedFrom`: add `write: 'present'`")]);
});

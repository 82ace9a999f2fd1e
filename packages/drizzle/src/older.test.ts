// A table whose fields still write what the version before reads, while both versions run.
import { eq, inArray, ne, type SQL } from 'drizzle-orm';
import { getTableConfig, text, unique, uuid } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { field, plaintext } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import { beforeEach, expect, test } from 'vitest';
import { returnedColumns } from '../test/returned-columns.ts';
import { encrypted, encryptedTable, excluded, withEncryption } from './pg.ts';

const older = plaintext((stored) => String(stored).slice(1), { write: (value) => `-${value}` });
const withTag = plaintext((stored, { tag }) => `${String(stored)}${String(tag)}`, { columns: ['tag'] });

const members = encryptedTable(
  'members',
  {
    id: uuid().primaryKey(),
    email: encrypted(field.text({ previous: older }).searchable())
      .notNull()
      .unique(),
    city: text(),
    notes: encrypted(field.text()),
  },
  { extraConfig: (self) => [unique('in_city').on(self.city, self.email)] },
);
const other = encryptedTable('other', {
  id: uuid().primaryKey(),
  mail: encrypted(field.text().searchable()),
});
const moved = encryptedTable('moved', {
  id: uuid().primaryKey(),
  name: encrypted(field.text({ previous: plaintext() }).searchable()),
  token: encrypted(field.text({ previous: withTag })),
  tag: text(),
});

let sent: { sql: string; params: unknown[] }[] = [];
let stored: Readonly<Record<string, unknown>> = {};
const { eaas, index } = await createClient();
const plain = drizzle(async (sql, params) => {
  sent.push({ sql: sql.replaceAll('"', ''), params });
  return { rows: stored['id'] ? [returnedColumns(sql).map((name) => stored[name])] : [] };
});
const db = withEncryption(plain, eaas, { index });

beforeEach(() => {
  [sent, stored] = [[], {}];
});

test('the table keeps its old constraints, and gets none of ours but for the other columns', () => {
  const { columns, uniqueConstraints, checks } = getTableConfig(members);
  const own = columns.map(({ name, isUnique, uniqueName, notNull }) => [
    name,
    isUnique,
    isUnique && uniqueName,
    notNull,
  ]);
  expect(own.slice(1, 3)).toEqual([
    ['email', true, 'members_email_unique', true],
    ['email_index', false, false, false],
  ]);
  expect(uniqueConstraints[0]?.columns.map(({ name }) => name)).toEqual(['city', 'email']);
  expect(checks.map(({ name }) => name)).toEqual(['members_notes_encrypted']);
});

const mark = expect.stringMatching(/^[0-9a-f]{64}$/) as unknown;
const found = (prefix: string) =>
  `${prefix}members.email in ($1) or (members.email like $2 and (members.email_index in ($3) and ` +
  '(members.email_index is not null or members.email is null)))';

test.each<[string, (where: SQL) => PromiseLike<unknown>]>([
  ['select', (where) => db.select({ id: members.id }).from(members).where(where)],
  ['delete', (where) => db.delete(members).where(where)],
])('a %s finds the older form by its text, and only ciphertexts by a fingerprint', async (_name, run) => {
  await run(eq(members.email, 'ada@x'));
  expect(sent[0]?.sql).toContain(found(' where ('));
  expect(sent[0]?.params).toEqual(['-ada@x', 'eaasA%', mark]);
  await run(ne(members.email, 'ada@x'));
  expect(sent[1]?.sql).toContain(found(' where not ('));
  await run(inArray(members.email, ['a', 'b']));
  expect(sent[2]?.params).toEqual(['-a', '-b', 'eaasA%', mark, mark]);
});

test('an update of older values finds its rows by itself, also without an id, and one of others finds their ids', async () => {
  await db.update(members).set({ email: 'eve@x' }).where(eq(members.email, 'ada@x'));
  expect(sent).toHaveLength(1);
  expect(sent[0]?.params.slice(0, 3)).toEqual(['-eve@x', mark, '-ada@x']);
  await db.update(members).set({ email: 'eve@x', notes: 'n' }).where(eq(members.email, 'ada@x'));
  expect(sent[1]?.sql).toContain('select id from members where (');
});

test('an upsert goes by the old unique column', async () => {
  const row = { id: '0190b3a4-0000-7000-8000-000000000001', email: 'ada@x' };
  const set = { email: excluded(members.email) };
  await db.insert(members).values(row).onConflictDoUpdate({ target: members.email, set });
  expect(sent[0]?.sql).toContain(
    'on conflict (email) do update set email = excluded.email, email_index = excluded.',
  );
  expect(sent[0]?.params.slice(0, 3)).toEqual([row.id, '-ada@x', mark]);
});

test('columns are not compared while their fingerprints can be those of older values', async () => {
  const joined = db.select({ id: members.id }).from(members).innerJoin(other, eq(members.email, other.mail));
  await expect(joined).rejects.toThrow('members.email: the version before changes values');
});

test('plaintext is found before it is encrypted, and read with the columns that it needs, which stay hidden', async () => {
  stored = { id: 'i', name: 'Ada', token: 'to', tag: 'ken' };
  const read = db.select({ name: moved.name, token: moved.token }).from(moved).where(eq(moved.name, 'Ada'));
  expect(await read).toEqual([{ name: 'Ada', token: 'token' }]);
  expect(sent[0]?.sql).toContain(
    'where ((moved.name_index in ($1) and (moved.name_index is not null or moved.name is null)) or moved.name in ($2))',
  );
  expect(sent[0]?.params).toEqual([mark, 'Ada']);
});

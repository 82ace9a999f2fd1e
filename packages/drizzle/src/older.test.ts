// A table whose fields still write what the version before reads, while both versions run.
import { eq, notInArray } from 'drizzle-orm';
import { getTableConfig, text, unique } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { field, plaintext } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import { expect, test, vi } from 'vitest';
import { returnedColumns } from '../test/returned-columns.ts';
import { encrypted, encryptedTable, excluded, withEncryption } from './pg.ts';

const write = vi.fn((value: string) => `-${value}`);
const written = plaintext((stored) => String(stored).slice(1), { write });
const older = field.text({ previous: written }).searchable();
const withTag = plaintext((stored, { tag }) => `${String(stored)}${String(tag)}`, { columns: ['tag'] });
const columns = {
  id: text().primaryKey(),
  email: encrypted(older).notNull().unique(),
  name: encrypted(field.text({ previous: plaintext() }).searchable()),
  token: encrypted(field.text({ previous: withTag })),
  tag: text(),
  notes: encrypted(field.text()),
};
const members = encryptedTable('members', columns, (self) => [unique('in_city').on(self.tag, self.email)]);
const { id, email, name, token } = members;

test('the table keeps its old constraints, and gets none of ours but for the other columns', () => {
  const { columns, uniqueConstraints, checks } = getTableConfig(members);
  const own = columns.filter(({ isUnique }) => isUnique).map(({ name, uniqueName }) => [name, uniqueName]);
  expect(own).toEqual([['email', 'members_email_unique']]);
  expect(uniqueConstraints[0]?.columns.map(({ name }) => name)).toEqual(['tag', 'email']);
  expect(checks.map(({ name }) => name)).toEqual(['members_name_index_check', 'members_notes_encrypted']);
});

const sent: { sql: string; params: unknown[] }[] = [];
const stored: Readonly<Record<string, string>> = { id: 'i', name: 'Ada', token: 'to', tag: 'ken' };
const plain = drizzle(async (sql, params) => {
  sent.push({ sql: sql.replaceAll('"', ''), params });
  return { rows: [returnedColumns(sql).map((name) => stored[name])] };
});
const { eaas, index } = await createClient();
const db = withEncryption(plain, eaas, { index });

/** Runs a statement, and returns what was sent for it. */
const sentFor = async (statement: PromiseLike<unknown>) => {
  await statement;
  return sent.splice(0);
};
const mark = expect.stringMatching(/^[0-9a-f]{64}$/) as unknown;
const ciphertext = expect.stringMatching(/^eaasA_{215}%$/) as unknown;
const found =
  'members.email in ($1) or (members.email like $2 and (members.email_index in ($3) and ' +
  '(members.email_index is not null or members.email is null)))';

test('a search finds the older form by its text, and only ciphertexts by a fingerprint', async () => {
  const [read] = await sentFor(db.select({ id }).from(members).where(eq(email, 'ada')));
  expect(read?.sql).toContain(` where (${found}`);
  expect(read?.params).toEqual(['-ada', ciphertext, mark]);
  const [removal] = await sentFor(db.delete(members).where(notInArray(email, ['a', 'b'])));
  expect(removal?.sql).toContain(' where not (members.email in ($1, $2) or (members.email like $3 and (');
  expect(removal?.params).toEqual(['-a', '-b', ciphertext, mark, mark]);
  const compared = db.select({ id }).from(members).where(eq(email, name));
  await expect(compared).rejects.toThrow('members.email: the version before changes values');
});

test('a search calls `write` twice, to see whether it writes the same text', async () => {
  const before = write.mock.calls.length;
  await sentFor(db.select({ id }).from(members).where(eq(email, 'ada')));
  expect(write.mock.calls.length - before).toBe(2);
});

test('an update of older values finds its rows by itself, and one of others finds their ids', async () => {
  const updates = await sentFor(db.update(members).set({ email: 'eve' }).where(eq(email, 'ada')));
  expect(updates.map(({ params }) => params)).toEqual([['-eve', mark, '-ada', ciphertext, mark]]);
  const [read] = await sentFor(db.update(members).set({ notes: 'n' }).where(eq(email, 'ada')));
  expect(read?.sql).toContain('select id from members where (');
});

test('an upsert goes by the old unique column', async () => {
  const clause = { target: email, set: { email: excluded(email) } };
  const row = { id: 'i', email: 'ada' };
  const [upsert] = await sentFor(db.insert(members).values(row).onConflictDoUpdate(clause));
  expect(upsert?.sql).toContain('on conflict (email) do update set email = excluded.email, email_index = ');
  expect(upsert?.params.slice(0, 3)).toEqual(['i', '-ada', mark]);
});

test('plaintext is found before it is encrypted, and read with the columns that it needs, which stay hidden', async () => {
  // `tag` of the result is another column than `tag` of the table.
  const read = db.select({ name, token, tag: id }).from(members).where(eq(name, 'Ada'));
  expect(await read).toEqual([{ name: 'Ada', token: 'token', tag: 'i' }]);
  expect(sent.at(-1)?.sql).toContain(
    'where ((members.name_index in ($1) and (members.name_index is not null or members.name is null)) or members.name in ($2))',
  );
});

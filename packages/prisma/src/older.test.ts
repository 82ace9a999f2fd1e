// Fields that still write what the version before reads, while both versions run. A fingerprint is `#value`.
import { defineFields, field, plaintext } from '@eaas/sdk/fields';
import { expect, test } from 'vitest';
import { type Codec, columns, modelsWith, play } from '../test/played.ts';
import { withSchema } from './schema.ts';
import type { Args } from './values.ts';

const older = plaintext((stored) => String(stored).slice(1), { write: (value) => `-${value}` });
const email = field.text({ previous: older }).searchable();
const nick = field.text({ previous: plaintext() }).searchable();
const token = field.text({ previous: plaintext(String, { columns: ['tag'] }) });
const fields = defineFields({ Member: { email, nick, token } });
const names = columns('id', 'email', 'email_index', 'nick', 'nick_index', 'city', 'token', 'tag');
const marksOf = (query: Args) =>
  Object.entries(query).map(([name, value]) => [`${name}_index`, [`#${String(value)}`]]);
const codec: Partial<Codec> = {
  encryptRows: async (_, rows) => [...rows],
  decryptRows: async (_, rows) => rows,
  where: async (_, query) => Object.fromEntries(marksOf(query)),
  older: (query) => ('email' in query ? `-${String(query['email'])}` : String(query['nick'])),
};
const models = modelsWith({ models: { Member: { fields: names } } }, fields, {}, codec);
const run = (operation: string, args: Args, row?: Args) =>
  play(models, ['Member', operation, args], { run: row, query: row && { ...row } });

const isOld = { email: { in: ['-ada'] } };
const sealed = (found: Args) => ({ AND: [{ email: { startsWith: `eaasA${'_'.repeat(215)}` } }, found] });
const isAda = { OR: [isOld, sealed({ email_index: '#ada' })] };
const isNickAda = { OR: [{ nick: { in: ['ada'] } }, { nick_index: '#ada' }] };
const notNull = { AND: [{ email_index: '#ada' }, { email_index: { not: null } }] };
const isNotAda = { NOT: { OR: [isOld, sealed({ OR: [notNull, { email: '' }] })] } };

test.each<[string, Args, Args]>([
  ['the older form by its text, and only ciphertexts by a fingerprint', { email: 'ada' }, isAda],
  ['no row under `NOT` for want of a fingerprint', { email: { not: 'ada' } }, isNotAda],
  ['plaintext before it is encrypted', { nick: 'ada' }, isNickAda],
])('a search finds %s', async (_what, where, expected) => {
  const { sent, runs } = await run('deleteMany', { where });
  expect([sent, runs]).toEqual([[{ where: expected }], []]);
});

const inCity = (email: string) => ({ city_email: { city: 'x', email } });
const isInCity = { city: 'x', ...isAda };

test.each<[string, Args, Args, Args | undefined, Args]>([
  ['that is a ciphertext', { email: 'ada' }, isAda, { email: 'eaasA…' }, { email: 'eaasA…' }],
  ['that is missing', { email: 'ada' }, isAda, undefined, { email: '-ada' }],
  ['of a compound key', inCity('ada'), isInCity, { email: 'eaasA…' }, inCity('eaasA…')],
  ['of a compound key that is missing', inCity('ada'), isInCity, undefined, inCity('-ada')],
  ['with a fingerprint', { nick: 'ada' }, isNickAda, { id: 'i', nick_index: '#ada' }, { nick_index: '#ada' }],
  ['of plaintext', { nick: 'ada' }, isNickAda, { id: 'i', nick_index: null }, { id: 'i', AND: [isNickAda] }],
])('a row %s is read first, and named by what it has', async (_what, where, found, row, expected) => {
  const writes = { update: { data: { city: 'y' } }, upsert: { create: { id: 'n' }, update: { city: 'y' } } };
  for (const [operation, data] of Object.entries({ findUnique: {}, delete: {}, ...writes })) {
    const { sent, runs } = await run(operation, { where, ...data }, row);
    expect(sent.map(({ where }) => where)).toEqual([expected]);
    expect(runs).toMatchObject([['Member', 'findFirst', { where: found }]]);
  }
});

test.each(['city_id', 'home'])('a row of a compound id is named by its key: %s', async (key) => {
  const named = key === 'home' ? ', name: "home"' : '';
  const schema = `model Member {\n @@id([city, id(sort: Desc)]${named})\n @@unique([city, nick], name: "other")\n}`;
  const known = withSchema({ models: { Member: { fields: names } } }, schema);
  const own = modelsWith(known, fields, { Member: { id: ['city', 'id'] } }, codec);
  const old = { city: 'x', id: 'i', nick_index: null };
  const { sent } = await play(own, ['Member', 'findUnique', { where: { nick: 'ada' } }], { run: old });
  expect(sent).toMatchObject([{ where: { [key]: { city: 'x', id: 'i' }, AND: [isNickAda] } }]);
});

test('a write of the older form needs no id', async () => {
  const args = { where: { city: 'x' }, data: { email: 'eve' } };
  const { sent, runs } = await run('updateMany', args);
  expect([sent, runs]).toEqual([[args], []]);
});

test('the columns that an older value needs are read, and hidden', async () => {
  const args = { select: { token: true } };
  const { sent, result } = await run('findFirst', args, { id: 'i', token: 'to', tag: 'ken' });
  expect(sent).toEqual([{ select: { token: true, id: true, tag: true } }]);
  expect(result).toEqual({ token: 'to' });
});

// Fields that still write what the version before reads, while both versions run. A fingerprint is `#value`.
import { defineFields, field, plaintext } from '@eaas/sdk/fields';
import { expect, test } from 'vitest';
import { columns, modelsWith, play } from '../test/played.ts';
import type { Args } from './values.ts';

const older = plaintext((stored) => String(stored).slice(1), { write: (value) => `-${value}` });
const names = ['id', 'email', 'email_index', 'nick', 'nick_index', 'city', 'token', 'tag'];
const fields = {
  Member: {
    email: field.text({ previous: older }).searchable(),
    nick: field.text({ previous: plaintext() }).searchable(),
    token: field.text({ previous: plaintext(String, { columns: ['tag'] }) }),
  },
};
const codec = {
  encryptRows: async (_: string, rows: readonly Args[]) => [...rows],
  decryptRows: async (_: string, rows: readonly Args[]) => rows,
  where: async (_: string, query: Args) =>
    Object.fromEntries(
      Object.entries(query).map(([name, value]) => [`${name}_index`, [`#${String(value)}`]]),
    ),
};
const models = modelsWith(
  { models: { Member: { fields: columns(...names) } } },
  defineFields(fields),
  {},
  codec,
);
const run = (operation: string, args: Args, row?: Args) =>
  play(models, ['Member', operation, args], { run: row });

const sealed = (found: Args) => ({ AND: [{ email: { startsWith: 'eaasA' } }, found] });
const isAda = { OR: [{ email: { in: ['-ada'] } }, sealed({ email_index: '#ada' })] };
const isNickAda = { OR: [{ nick: { in: ['ada'] } }, { nick_index: '#ada' }] };
const notNull = { email_index: { not: null } };
const exactly = { OR: [{ AND: [{ email_index: '#ada' }, notNull] }, { email: '' }] };

test.each<[string, Args, Args]>([
  ['the older form by its text, and only ciphertexts by a fingerprint', { email: 'ada' }, isAda],
  [
    'no row under `NOT` for want of a fingerprint',
    { email: { not: 'ada' } },
    { NOT: { OR: [isAda.OR[0], sealed(exactly)] } },
  ],
  ['plaintext before it is encrypted', { nick: 'ada' }, isNickAda],
])('a search finds %s', async (_what, where, expected) => {
  for (const operation of ['findMany', 'deleteMany']) {
    const { sent, runs } = await run(operation, { where });
    expect([sent[0]?.['where'], runs]).toEqual([expected, []]);
  }
});

const isMissing = { city_email: { city: 'x', email: '-ada' } };
const inCity = { city: 'x', ...isAda };

test.each<[string, Args, Args, Args | undefined, Args]>([
  ['in the older form', { email: 'ada' }, isAda, { email: '-ada' }, { email: '-ada' }],
  ['that is a ciphertext', { email: 'ada' }, isAda, { email: 'eaasA…' }, { email: 'eaasA…' }],
  ['that is missing', { email: 'ada' }, isAda, undefined, { email: '-ada' }],
  [
    'of a compound key',
    { city_email: { city: 'x', email: 'ada' } },
    inCity,
    { email: 'eaasA…' },
    { city_email: { city: 'x', email: 'eaasA…' } },
  ],
  [
    'of a compound key that is missing',
    { city_email: { city: 'x', email: 'ada' } },
    inCity,
    undefined,
    isMissing,
  ],
  ['with a fingerprint', { nick: 'ada' }, isNickAda, { id: 'i', nick_index: '#ada' }, { nick_index: '#ada' }],
  ['of plaintext', { nick: 'ada' }, isNickAda, { id: 'i', nick_index: null }, { id: 'i', AND: [isNickAda] }],
])('a row %s is read first, and named by what it has', async (_what, where, found, row, expected) => {
  for (const operation of ['findUnique', 'update', 'delete', 'upsert']) {
    const data = { city: 'y' };
    const writes =
      operation === 'upsert'
        ? { create: { id: 'n', ...data }, update: data }
        : operation === 'update' && { data };
    const { sent, runs } = await run(operation, { where, ...writes }, row);
    expect(sent[0]?.['where']).toEqual(expected);
    expect(runs).toMatchObject([['Member', 'findFirst', { where: found }]]);
  }
});

test('a write of the older form needs no id', async () => {
  const { sent, runs } = await run('updateMany', { where: { city: 'x' }, data: { email: 'eve' } });
  expect([sent, runs]).toEqual([[{ where: { city: 'x' }, data: { email: 'eve' } }], []]);
});

test('the columns that an older value needs are read, and hidden', async () => {
  const row = { id: 'i', token: 'to', tag: 'ken' };
  const { sent, result } = await play(models, ['Member', 'findMany', { select: { token: true } }], {
    query: [row],
  });
  expect(sent[0]?.['select']).toEqual({ token: true, id: true, tag: true });
  expect(result).toEqual([{ token: 'to' }]);
});

// Handles of concealed fields in operations: an update of their own row leaves them alone, and all others are refused before
// anything is sent, so that nothing stores the text of a handle, or a ciphertext without its fingerprint.
import { inspect } from 'node:util';
import { EaasClient } from '@eaas/sdk';
import {
  type Concealed,
  defineFields,
  field,
  type FieldError,
  part,
  unencrypted,
  withFields,
} from '@eaas/sdk/fields';
import { heldIn } from '@eaas/sdk/internal';
import { createClient } from '@eaas/test-kit/orms/client';
import { beforeEach, expect, test, vi } from 'vitest';
import { column, columns, extensionOf, operate, relation } from '../test/played.ts';
import { withEncryption } from './encrypted.ts';
import type { Args } from './values.ts';

const secret = () => field.text().searchable().concealed();
const parts = { full: withFields(['last']), words: part.words() };
const fields = defineFields({
  Patient: {
    lowEntropy: 'accepted',
    ...unencrypted('id'),
    name: field.text(),
    ssn: secret(),
    code: secret(),
    notes: field.json<object>().concealed(),
    first: field.text().searchableBy(parts).concealed(),
    last: field.text().concealed(),
  },
  Visit: { ssn: secret(), ward: field.text({ context: 'field' }).concealed() },
});
const id = '00000000-0000-4000-8000-00000000000a';
const [own, another, idColumn] = [{ id }, id.replace(/a$/, 'b'), column('id', { nativeType: 'Uuid' })];
const patient = columns('city', 'name', 'ssn', 'ssn_index', 'code', 'code_index', 'notes', 'profile');
const indexed = columns('first', 'last', 'first_full_index', 'first_words_index');
const models = {
  Patient: { fields: [idColumn, ...patient, ...indexed, relation('visits', 'Visit[]')] },
  Visit: {
    fields: [idColumn, ...columns('kind', 'ssn', 'ssn_index', 'ward'), relation('patient', 'Patient')],
  },
};
const { eaas, index, service, keyId } = await createClient();
const extension = extensionOf(models, (prisma) => withEncryption(prisma, eaas, fields, { index }));
const plainRow = { id, name: 'Ada', ssn: '1', code: '2', notes: { a: 1 }, first: 'Ada', last: 'King' };
const [sealed] = await fields.for(eaas, { index }).encryptRows('Patient', [plainRow], () => id);
const sent: Args[] = [];
const run = (operation: string, args: Args, model = 'Patient', of = extension) => {
  const query = async (given: Args) => {
    sent.push(given);
    const found: Args = model === 'Visit' ? { id, ward: sealed?.last } : { ...sealed, city: 'Bern' };
    const { select = found } = given as { select?: Args };
    return Object.fromEntries(Object.keys(select).map((name) => [name, found[name]]));
  };
  return operate(of, operation, args, query, model);
};
type Handles = Readonly<Record<'ssn' | 'code' | 'first' | 'last', Concealed<string>>>;
const row = (await run('findFirst', {})) as Handles & Args;
const { ssn, code, first, last } = row;
const { ward } = (await run('findFirst', {}, 'Visit')) as Args;
vi.resetModules();
const twin = new (await import('@eaas/sdk/fields')).Concealed(heldIn(ssn) as never);
const form = JSON.parse(JSON.stringify(row)) as Args;
const create = { id, city: 'x' };
const update = (data: Args, where: Args = own) => run('update', { where, data });
const updateMany = (where: Args, data: Args) => run('updateMany', { where, data });
const upsert = (more: Args) => run('upsert', { where: own, create, update: {}, ...more });
const nested = (visits: Args) => run('update', { where: own, data: { visits } });
const around = (patient: Args) => run('update', { where: own, data: { patient } }, 'Visit');
const find = (where: Args) => run('findFirst', { where });
const nurse = extension.client.$revealed().client.$as('7');

beforeEach(() => {
  sent.length = 0;
});

const left = /"(?:data|update)":\{"id":"[-\w]+","city":"(?:Bern|Rome)","name":"eaasA[^"]+"\}/;
test.each<[string, () => PromiseLike<unknown>, RegExp]>([
  ['a spread', () => update({ ...row }), left],
  ['`Object.assign`', () => update(Object.assign({}, row, { city: 'Rome' })), left],
  ['`{ set }`', () => update({ ssn: { set: ssn } }), /"data":\{\}/],
  ['another form of the id', () => update(row, { id: `{${id.toUpperCase()}}` }), left],
  ['two copies of the SDK', () => update({ ...row, ssn: twin }), left],
  ['the update of an upsert', () => upsert({ update: row }), left],
  ['an update of a relation', () => around({ update: { where: own, data: row } }), left],
  ['`$revealed`', () => run('update', { where: own, data: row }, 'Patient', nurse), left],
  ['a value beside it', () => update({ ssn: '3', code }), /"data":\{"ssn":"eaasA[^"]*","ssn_index":"\w{64}"/],
])('a handle in %s is left alone', async (_, act, expected) => {
  await act();
  expect(sent).toHaveLength(1);
  expect(JSON.stringify(sent[0])).toMatch(expected);
  expect(JSON.stringify(sent[0])).not.toMatch(/"(?:code|notes|first|last)\w*":(?!true)|conceal/);
});

test.each<[string, () => PromiseLike<unknown>, string]>([
  ['`create`', () => run('create', { data: row }), 'Patient.ssn'],
  ['`createMany`', () => run('createMany', { data: [create, row] }), 'Patient.ssn'],
  ['the create of an upsert', () => upsert({ create: row }), 'Patient.ssn'],
  ['a nested `createMany`', () => nested({ createMany: { data: [{ ssn }] } }), 'Visit.ssn'],
  ['`connectOrCreate`', () => around({ connectOrCreate: { where: own, create: row } }), 'Patient.ssn'],
  ['`updateMany`', () => updateMany(own, row), 'Patient.ssn'],
  ['the condition of `updateMany`', () => updateMany({ city: ssn }, { name: 'Eve' }), 'Patient.ssn'],
  ['a nested `updateMany`', () => nested({ updateMany: { where: {}, data: { ssn } } }), 'Visit.ssn'],
  ['another condition', () => update(row, { ssn: '1' }), 'Patient.ssn'],
  ['another row', () => update({ ssn }, { id: another }), 'Patient.ssn'],
  ['another column', () => update({ code: { set: ssn } }), 'Patient.code'],
  ['a field that is not encrypted', () => update({ city: { set: ssn } }), 'Patient.ssn'],
  ['JSON of a plain field', () => update({ profile: { of: [row] } }), 'Patient.ssn'],
  ["`context: 'field'`", () => run('update', { where: own, data: { ward } }, 'Visit'), 'Visit.ward'],
  ['a part of an index', () => update({ first: 'Eve', last }), 'Patient.last'],
  ['a form', () => update({ ...form, city: 'x' }), 'Patient.ssn'],
  ['`structuredClone`', () => update(structuredClone(row)), 'Patient.ssn'],
  ['a condition', () => find({ NOT: { code: { in: ['1', code] } } }), 'Patient.code'],
  ['a part', () => find({ first: { words: first } }), 'Patient.first'],
  ['a plain condition', () => update({ name: 'Eve' }, { city: ssn }), 'Patient.ssn'],
  ['raw SQL', () => run('$executeRaw', { values: [ssn], strings: ['', ''] }, ''), 'Patient.ssn'],
])('a handle in %s is refused', async (_, act, place) => {
  const requests = service.requests.length;
  const [table, name] = place.split('.');
  const refused = { name: 'EncryptedTableError', code: 'concealed', table, column: name };
  const remedy = expect.stringContaining('reveal') as string;
  await expect((async () => act())()).rejects.toMatchObject({ ...refused, remedy });
  expect([sent, service.requests.length]).toEqual([[], requests]);
});

test('an update that writes no encrypted value needs no user', async () => {
  const client = new EaasClient({ ...service, keyId, requireUser: true });
  const guarded = extensionOf(models, (prisma) => withEncryption(prisma, client, fields, { index }));
  const args = { where: own, data: { city: 'Rome', ssn, code: { set: code } }, select: { code: true } };
  await run('update', args, 'Patient', guarded);
  expect(sent).toHaveLength(1);
});

test('`onError` gets handles in the rows of a relation too, where a value is not encrypted', async () => {
  const canary = 'canary-7319';
  const found = { id, name: 'no ciphertext', ssn: canary, visits: [{ id: another, ward: canary }] };
  // As they are at this moment: later, they have what `onError` returns.
  const onError = vi.fn((_error: FieldError, row: object) => inspect(row, { depth: null }));
  const args = { include: { visits: true }, onError };
  await operate(extension, 'findFirst', args, async () => structuredClone(found), 'Patient');
  const failed = onError.mock.calls.map(([error]) => `${error.table}.${error.field}`);
  expect(failed.toSorted()).toEqual(['Patient.name', 'Patient.ssn', 'Visit.ward']);
  const shown = onError.mock.results.map(({ value }) => String(value)).join();
  expect(shown).toMatch(/ssn: Concealed.*ward: Concealed/s);
  expect(shown).not.toContain(canary);
});

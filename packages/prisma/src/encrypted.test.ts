import { defineFields, field } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import { expect, test } from 'vitest';
import { columns, extensionOf, operate, relation } from '../test/played.ts';
import { withEncryption } from './encrypted.ts';
import type { Args } from './values.ts';

const { eaas } = await createClient();
const fields = defineFields({ Patient: { name: field.text() } });
const open = (members: object = {}) =>
  extensionOf(
    { Patient: { fields: columns('id', 'name') } },
    (prisma) => withEncryption(prisma, eaas, fields),
    members,
  );

test('`withEncryption` throws if its arguments are in the wrong order, or no fields', () => {
  const swapped = () => withEncryption(eaas as never, { $extends: () => {} } as never, fields);
  expect(swapped).toThrow('`withEncryption` takes (prisma, eaas, fields, options)');
  expect(() => withEncryption({ $extends: () => {} }, eaas, {} as never)).toThrow(
    'that `defineFields` returned',
  );
});

test('a client of Prisma 8, which has no `$extends`, is refused by its type and when the app starts', () => {
  // @ts-expect-error Property '$extends' is missing
  const open8 = () => withEncryption({ sql: {}, transaction: () => {} }, eaas, fields);
  expect(open8).toThrow('Prisma 8 is not supported yet: pin `prisma@7 @prisma/client@7`');
});

test.each([
  ['no arguments', { dataPath: [], transaction: undefined }],
  ['no path', { args: {}, transaction: undefined }],
  ['no transaction', { args: {}, dataPath: [] }],
  ['an unknown transaction', { args: {}, dataPath: [], transaction: { kind: 'other' } }],
])('a Prisma whose parameters have %s is refused, before a query', async (_, params) => {
  const query = async () => expect.unreachable();
  await expect(operate(open(), 'findMany', {}, query, 'Patient', params)).rejects.toThrow(
    'this version of Prisma is not supported',
  );
});

test('a Prisma that ignores the parameters of a query is refused, before it sends the query', async () => {
  const sent: unknown[] = [];
  // Like Prisma, it sends a query when somebody awaits its result.
  // oxlint-disable-next-line unicorn/no-thenable
  const lazy = (args: Args) => ({ then: (done: (rows: unknown) => void) => done([sent.push(args)]) });
  const query = (args: Args) => lazy(args) as unknown as Promise<unknown>;
  const __internalParams = { args: {}, dataPath: [], transaction: undefined };
  const call = { model: 'Patient', operation: 'updateMany', args: { data: { name: 'Ada' } } };
  const run = open().query.$allOperations({ ...call, query, __internalParams });
  await expect(run).rejects.toThrow('this version of Prisma is not supported');
  expect(sent).toEqual([]);
});

test.each<Args>([
  { where: undefined },
  { where: { name: undefined } },
  { where: { OR: [{ name: { equals: undefined } }] } },
])('undefined throws with `strictUndefinedChecks`, before a query: %j', async (args) => {
  const strict = open({ _previewFeatures: ['strictUndefinedChecks'] });
  const query = async () => expect.unreachable();
  await expect(operate(strict, 'deleteMany', args, query)).rejects.toMatchObject({
    code: 'unknown_argument',
  });
});

test('`$as` without its client is refused, because it could be in a transaction', () => {
  const { $as } = open().client;
  expect(() => $as('7')).toThrow(/`\$as` has no client: call it on the client, as in `db\.\$as\(userId\)`/);
});

test('an operation whose `connectOrCreate` another one overtakes runs once more, and connects', async () => {
  const key = new Map([['patientId', 'id']]);
  const models = {
    Patient: { fields: columns('id', 'city') },
    Visit: { fields: [...columns('id', 'note', 'patientId'), { ...relation('patient', 'Patient'), key }] },
  };
  const visits = defineFields({ Visit: { subject: 'patientId', note: field.text() } });
  const extension = extensionOf(models, (prisma) => withEncryption(prisma, eaas, visits));
  const overtaken = Object.assign(new Error('Unique constraint failed'), { code: 'P2002' });
  const sent: Args[] = [];
  const answers = [null, overtaken, { id: '7' }, { id: '1' }];
  const patient = { connectOrCreate: { where: { city: 'Turin' }, create: { city: 'Turin' } } };
  const args = { data: { note: 'cough', patient }, select: { id: true } };
  const run = async (given: Args) => {
    sent.push(given);
    const answer = answers[sent.length - 1];
    return answer instanceof Error ? Promise.reject(answer) : answer;
  };
  expect(await operate(extension, 'create', args, run, 'Visit')).toEqual({ id: '1' });
  expect(sent[1]).toMatchObject({ data: { patient: { connectOrCreate: { create: { city: 'Turin' } } } } });
  expect(sent[3]).toMatchObject({ data: { patient: { connect: { city: 'Turin', id: '7' } } } });
});

import { inspect } from 'node:util';
import { InputError } from '@eaas/protocol';
import { failureOf } from '@eaas/test-kit/failure-of';
import { assertType, expect, expectTypeOf, test, vi } from 'vitest';
import { z } from 'zod';
import { observedClient } from '../../test/observed-client.ts';
import {
  createIndexKey,
  decryptNested,
  defineFields,
  type Encrypted,
  field,
  FieldError,
  plaintext,
  type StandardSchema,
  unencrypted,
  withFields,
} from './fields.ts';
import type { InputOf, ValueOf } from './row-types.ts';

const notes = z.object({
  items: z.array(z.object({ name: z.string().max(20, 'not the secret!') })),
  tags: z.array(z.string()).default([]),
  seen: z.iso.datetime().transform((text) => new Date(text)),
});
const fields = defineFields({
  users: {
    ...unencrypted('id'),
    notes: field.json(notes),
    draft: field.json(notes, { context: 'field' }),
  },
});
const written = { items: [{ name: 'a' }], seen: '2026-01-02T03:04:05Z' };
const read = { items: [{ name: 'a' }], tags: [], seen: new Date('2026-01-02T03:04:05Z') };

const open = async () => fields.for((await observedClient()).client);
const idOf = ({ id }: { id: number }) => id;
/** A schema made by hand, which answers as `validate` does. */
const schemaOf = (validate: (value: never) => unknown): StandardSchema => ({
  '~standard': { version: 1, vendor: 'test', validate: validate as () => { value: unknown } },
});

/** Encrypts a value with one schema, and decrypts it with another. */
async function pass(
  writing: StandardSchema | undefined,
  reading: StandardSchema | undefined,
  value: unknown = 'secret',
) {
  const { client } = await observedClient();
  const recordsWith = (schema: StandardSchema | undefined) =>
    defineFields({ users: { notes: schema ? field.json(schema) : field.json<unknown>() } }).for(client);
  const stored = await recordsWith(writing).encryptRow('users', 7, { notes: value });
  const records = recordsWith(reading);
  return {
    stored: (await recordsWith(undefined).decryptRow('users', 7, stored as never)) as { notes: unknown },
    read: async (onError?: 'null') => records.decryptRow('users', 7, stored as never, { onError }),
    settle: async () => records.decryptRows('users', [stored as never], () => 7, { settled: true }),
  };
}

test('the app writes the input of a schema, which is stored as it is, and reads its output', async () => {
  const { client } = await observedClient();
  const records = fields.for(client);
  const rows = [
    { id: 1, notes: written, draft: null },
    { id: 2, notes: undefined, draft: written },
  ];
  const stored = await records.encryptRows('users', rows, idOf);
  expect(await records.decryptRows('users', stored, idOf)).toEqual([
    { id: 1, notes: read, draft: null },
    { id: 2, notes: undefined, draft: read },
  ]);
  const unchecked = defineFields({ users: { notes: field.json<typeof written>() } }).for(client);
  expect(await unchecked.decryptRow('users', 1, { notes: stored[0]?.notes } as never)).toEqual({
    notes: written,
  });
  const shape = { table: 'users', nested: { friends: { table: 'users' } } } as const;
  const [first, second] = stored as [(typeof stored)[0], (typeof stored)[0]];
  const nested = await decryptNested(records, [{ ...first, friends: [second] }], shape);
  expectTypeOf(nested[0]?.friends[0]?.draft).toEqualTypeOf<z.output<typeof notes> | null | undefined>();
  expect(nested).toEqual([
    { id: 1, notes: read, draft: null, friends: [{ id: 2, draft: read, notes: undefined }] },
  ]);
});

test('the types of what is written and read are those of the schema', async () => {
  const records = await open();
  type Input = z.input<typeof notes>;
  type Output = z.output<typeof notes>;
  const stored = await records.encryptRow('users', 1, { notes: written, draft: null });
  expectTypeOf(stored).toEqualTypeOf<{
    notes: Encrypted<'users.notes', Input>;
    draft: Encrypted<'users.draft', Input> | null;
  }>();
  const opened = await records.decryptRow('users', 1, stored);
  expectTypeOf(opened).toEqualTypeOf<{ notes: Output; draft: Output | null }>();
  expectTypeOf(field.json(notes, { context: 'field' }).context).toExtend<'field' | object | undefined>();
  const byHand = field.json({} as StandardSchema<string, number>);
  expectTypeOf<[InputOf<typeof byHand>, ValueOf<typeof byHand>]>().toEqualTypeOf<[string, number]>();
  assertType<() => unknown>(() => [
    // @ts-expect-error: the output is not the input
    records.encryptRow('users', 1, { notes: read }),
    // @ts-expect-error: what is stored is the input of the schema
    field.json(notes, { previous: plaintext(() => read) }),
    field.json(notes, { previous: plaintext(() => written) }),
  ]);
  const tags: StandardSchema<string[]> = z.array(z.string());
  expectTypeOf<InputOf<ReturnType<typeof field.json<string[]>>>>().toEqualTypeOf<string[]>();
  expectTypeOf<ValueOf<ReturnType<typeof field.json<string[]>>>>().toEqualTypeOf<string[]>();
  expect(field.json(tags).schema).toBe(tags);
  const untyped = { '~standard': { version: 1, vendor: 'x', validate: () => ({ value: 1 }) } } as const;
  const half = field.json(untyped);
  expectTypeOf<[InputOf<typeof half>, ValueOf<typeof half>]>().toEqualTypeOf<[number, number]>();
});

test('a value that the schema refuses is not written, and the error names row and place', async () => {
  const records = await open();
  const items = [{ name: 'a' }, { name: 'b' }, { name: 'the secret, which is long' }];
  const rows = [{ id: 7, notes: { ...written, items } }];
  const error = await failureOf<FieldError>(records.encryptRows('users', rows, idOf));
  expect(error).toBeInstanceOf(FieldError);
  expect(error).toMatchObject({
    code: 'input',
    row: '7',
    retryable: false,
    cause: expect.any(InputError) as InputError,
  });
  expect(error?.message).toBe(
    'users.notes of row 7: the schema of the field refuses `notes[…][2][…]`: to see why, pass the value to the schema',
  );
  expect(inspect(error, { depth: 9 })).not.toMatch(/the secret|not the/);
});

test('a stored value that the schema refuses follows `onError`', async () => {
  const { read: open, settle } = await pass(undefined, notes, {
    ...written,
    items: [{ name: 7 }],
    tags: 'secret',
  });
  const error = await failureOf<FieldError>(open());
  expect(error).toBeInstanceOf(FieldError);
  expect(error).toMatchObject({ code: 'format', field: 'notes', row: '7' });
  expect(error?.message).toMatch(
    /refuses `notes\[…\]\[0\]\[…\]`: .*; to read the rest, pass `onError: 'null'`$/,
  );
  expect(inspect(error, { depth: 9 })).not.toContain('secret');
  expect(await open('null')).toEqual({ notes: null });
  expect(await settle()).toMatchObject([{ ok: false, error: { code: 'format' } }]);
});

test('null and undefined are stored unchanged, without the schema', async () => {
  const validate = vi.fn(() => ({ value: 1 }));
  const { client } = await observedClient();
  const records = defineFields({ users: { notes: field.json(schemaOf(validate)) } }).for(client);
  const stored = await records.encryptRow('users', 1, { notes: null });
  expect(await records.decryptRow('users', 1, stored)).toEqual({ notes: null });
  expect(validate).not.toHaveBeenCalled();
});

test('a plaintext of a migration is read as what the schema makes of it', async () => {
  const { client } = await observedClient();
  const previous = plaintext((stored) => JSON.parse(String(stored)) as typeof written);
  const records = defineFields({ users: { notes: field.json(notes, { previous }) } }).for(client);
  const row = (text: string) => records.decryptRow('users', 7, { notes: text as never });
  expect(await row(JSON.stringify(written))).toEqual({ notes: read });
  const error = await failureOf<FieldError>(row('{"items":["secret"]}'));
  expect(error).toMatchObject({ code: 'format', row: '7' });
  expect(error?.message).toContain('refuses `notes[…][0]`');
  expect(inspect(error, { depth: 9 })).not.toContain('"secret"');
});

test('searches with another field use the stored value', async () => {
  const upper = schemaOf((value: string) =>
    value === value.toUpperCase() ? { value: value.length } : { issues: [{}] },
  );
  const { client } = await observedClient();
  const users = {
    name: field.text().searchableBy({ and_city: withFields(['city']) }),
    lowEntropy: 'accepted',
  } as const;
  const index = await createIndexKey(client);
  const find = async (city: ReturnType<typeof field.json<unknown>>) => {
    const records = defineFields({ users: { ...users, city } }).for(client, { index });
    const { name_and_city_index: written } = await records.encryptRow('users', 1, {
      name: 'Ada',
      city: 'TURIN',
    });
    const sought = await records.where('users', { name: { and_city: { name: 'ada', city: 'turin' } } });
    return [written, ...sought.name_and_city_index];
  };
  const [plain, sought] = await find(field.json());
  expect(sought).toBe(plain);
  expect(await find(field.json(upper))).toEqual([plain, plain]);
});

const fine = schemaOf((value) => ({ value }));
const throws = schemaOf(() => {
  throw new InputError('secret');
});
const rejected = async (): Promise<never> => Promise.reject(new Error('secret'));
const throwing = {
  get issues(): never {
    throw new Error('secret');
  },
};

test.each<[what: string, schema: StandardSchema, reason: string, code: 'format' | 'input']>([
  ['throws', throws, 'threw an error: let `validate` return `issues`', 'format'],
  ['returns an object that throws', schemaOf(() => throwing), 'threw an error', 'format'],
  [
    'returns issues that are no list',
    schemaOf(() => ({ issues: [{ path: 7 }] })),
    'threw an error',
    'format',
  ],
  ['returns no issue', schemaOf(() => ({ issues: [] })), 'refuses `notes`:', 'format'],
  [
    'rejects',
    schemaOf(rejected),
    'must return `value` or `issues` at once (got a Promise): leave asynchronous checks to the app',
    'input',
  ],
  ['is asynchronous', z.string().refine(async () => true), '(got a Promise)', 'input'],
  [
    'returns nothing',
    schemaOf(() => undefined),
    'must return `value` or `issues` at once (got undefined)',
    'input',
  ],
  ['returns a text', schemaOf(() => 'secret'), '(got a string)', 'input'],
  ['returns an empty object', schemaOf(() => ({})), '(got an Object)', 'input'],
])('a schema that %s fails writing and reading, without the value', async (_, schema, reason, code) => {
  const writing = await failureOf<FieldError>(pass(schema, fine));
  const { read: open } = await pass(fine, schema);
  const reading = await failureOf<FieldError>(open());
  for (const error of [writing, reading]) {
    expect(error).toBeInstanceOf(FieldError);
    expect(error?.message).toMatch(/^users\.notes of row 7: /);
    expect(error?.message).toContain(reason);
    expect(inspect(error, { depth: 9 })).not.toContain('secret');
  }
  expect([writing?.code, reading?.code]).toEqual(['input', code]);
  // A schema that cannot work is a mistake in the app: nulls would hide it.
  const substitute = await open('null').catch((error: unknown) => (error as FieldError).code);
  expect(substitute).toEqual(code === 'input' ? code : { notes: null });
});

test.each<[what: string, path: readonly unknown[], place: string]>([
  ['objects', [{ key: 'items' }, { key: 2 }, { key: 'name' }], 'notes[…][2][…]'],
  ['symbols', [Symbol('secret'), { key: Symbol('secret') }], 'notes[…][…]'],
  ['names, which are data', ['secret', 'a\nb', '7'], 'notes[…][…][…]'],
  ['many names', Array.from({ length: 1_000 }, () => 'a'), `notes${'[…]'.repeat(20)}…`],
])('a path of %s is written without data', async (_, path, place) => {
  const error = await failureOf<FieldError>(
    pass(
      schemaOf(() => ({ issues: [{ message: 'secret', path }] })),
      fine,
    ),
  );
  expect(error?.message).toContain(`refuses \`${place}\`: `);
  expect(inspect(error, { depth: 9 })).not.toContain('secret');
});

test('a schema that changes its argument changes neither the value of the app nor what is stored', async () => {
  const mutating = schemaOf((value: { tags: string[] }) => ({ value: value.tags.splice(0) }));
  const value = { tags: ['a'] };
  const { stored, read: open } = await pass(mutating, mutating, value);
  expect([value, stored.notes]).toEqual([{ tags: ['a'] }, { tags: ['a'] }]);
  expect([await open(), await open()]).toEqual([{ notes: ['a'] }, { notes: ['a'] }]);
});

test('the schema sees what is stored, without members that are undefined', async () => {
  const strict = z.strictObject({ tags: z.array(z.string()) });
  const { read: open } = await pass(strict, strict, { tags: ['a'], other: undefined });
  expect(await open()).toEqual({ notes: { tags: ['a'] } });
});

test('a schema can be a function, as in ArkType, and something else is refused', () => {
  const schema = Object.assign(() => {}, fine);
  expect(field.json(schema).schema).toBe(schema);
  expect(() => field.json((() => {}) as never)).toThrow('`json` takes an object of options (got a function)');
  expect(() => field.json(fine, { contxt: 'field' } as never)).toThrow('did you mean `context`?');
});

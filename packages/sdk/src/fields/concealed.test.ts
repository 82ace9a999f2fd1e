import { format, inspect } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { assertType, expect, expectTypeOf, test, vi } from 'vitest';
import { arrivals, observedClient, range, routesOf } from '../../test/observed-client.ts';
import type { EaasClient } from '../index.ts';
import { coreOf } from './core.ts';
import * as sdk from './fields.ts';
import { olderTextOf } from './older-form.ts';
import { withoutOwn } from './write-concealed.ts';

const { createIndexKey, defineFields, field, part, plaintext, reveal, unencrypted } = sdk;
const canary = 'canary-7319';
const [notes, photo, born] = [{ tags: [canary] }, new TextEncoder().encode(canary), new Date('1990-05-17')];
const ada = { id: '1', ssn: canary, name: 'Ada', age: 0, size: 7n, born, photo, notes };
const columns = ['ssn', 'name', 'age', 'size', 'born', 'photo', 'notes'] as const;

const name = field.text().searchableBy({ start: part.prefixes(3, 3), whole: sdk.withFields(['age']) });

/** Fields of every type that can be concealed, with every kind of index. */
const people = {
  lowEntropy: 'accepted',
  ...unencrypted('id', 'city'),
  ssn: field.text().searchable().concealed(),
  name: name.concealed(),
  age: field.number().searchable().concealed(),
  size: field.bigint().concealed(),
  born: field.date().searchableBy({ range: part.dateRange() }).concealed(),
  photo: field.bytes().concealed(),
  notes: field.json<typeof notes>().concealed(),
} as const;
const visits = { subject: 'patient', ...unencrypted('id'), note: field.text().concealed() } as const;
const fields = defineFields({ people, visits });
const idOf = ({ id }: { readonly id: string }): string => id;

async function openPeople(options: Parameters<typeof observedClient>[0] = {}) {
  const made = await observedClient(options);
  const index = await createIndexKey(made.client);
  const recordsOf = (client: EaasClient) => fields.for(client, { index });
  const records = recordsOf(made.client);
  const stored = await records.encryptRow('people', '1', ada);
  return { ...made, index, recordsOf, records, stored, row: await records.decryptRow('people', '1', stored) };
}

const failure = async (call?: Promise<unknown>): Promise<unknown> => call?.catch((error: unknown) => error);
/** Rows that each have a person, and so a data key. */
const visitsOf = (count: number) =>
  range(count).map((nth) => ({ id: String(nth), patient: `p-${nth}`, note: `note ${nth}` }));
const unwrapsOf = async (client: EaasClient) =>
  (await client.audit.page()).logs.flatMap(({ action, metadata }) =>
    action === 'key.unwrap' && metadata['subject'] ? [metadata['user']] : [],
  );

test('every type but boolean is read as a handle, and the stored row is that of a plain field', async () => {
  const { row, stored, records, client, index } = await openPeople();
  const shown = Object.fromEntries(columns.map((name) => [name, '[concealed]']));
  expect(JSON.parse(JSON.stringify(row))).toEqual({ id: '1', ...shown });
  expect(await reveal([row], columns)).toEqual([ada]);
  for (const name of columns) expect(await row[name].reveal()).toEqual(ada[name]);
  const open = { ...unencrypted('id'), ssn: field.text().searchable(), notes: field.json<typeof notes>() };
  const plain = defineFields({ people: open }).for(client, { index });
  const few = { id: '1', ssn: canary, notes };
  expect(await plain.decryptRow('people', '1', stored)).toMatchObject(few);
  const again = await records.decryptRow('people', '1', await plain.encryptRow('people', '1', few));
  expect(await reveal([again], ['ssn', 'notes'])).toEqual([few]);
  const found = await records.where('people', { ssn: canary, name: { start: 'ada' } });
  expect(found).toMatchObject(await plain.where('people', { ssn: canary }));
  const boolean = field.boolean().searchable() as unknown as typeof open.ssn;
  expect(() => boolean.concealed()).toThrow(/a boolean cannot be concealed/);
});

test('a handle has `reveal` and nothing else, and does not compare, count or pass for a value', async () => {
  const { row, records, stored } = await openPeople();
  expect([Reflect.ownKeys(row.ssn), 'then' in row.ssn, Object.entries(row.ssn)]).toEqual([[], false, []]);
  const [one, two] = [row.age, row.age] as unknown as [number, number];
  for (const count of [() => one < two, () => one - two, () => Math.max(one)]) {
    expect(count).toThrow('a concealed value is no number: reveal it first');
  }
  const given = [{ ...stored, ssn: null as typeof stored.ssn | null }];
  const rows = await records.decryptRows('people', given, idOf);
  expectTypeOf(rows).items.toHaveProperty('ssn').toEqualTypeOf<sdk.Concealed<string> | null>();
  expectTypeOf(await reveal(rows, ['ssn']))
    .items.toHaveProperty('ssn')
    .toEqualTypeOf<string | null>();
  const other = await records.decryptRow('people', '1', stored, { onError: () => 5 });
  expectTypeOf(other.ssn).toEqualTypeOf<sdk.Concealed<string | number> | number>();
  const some = await records.decryptRow('people', '1', stored, { reveal: ['ssn'] });
  expectTypeOf([some.ssn, some.age] as const).toEqualTypeOf<readonly [string, sdk.Concealed<number>]>();
  assertType<() => unknown>(() => [
    // @ts-expect-error -- a handle is no number
    row.age < 5,
    // @ts-expect-error -- two of them are not, either
    row.age - row.age,
    // @ts-expect-error -- and no text
    row.ssn === canary,
    // @ts-expect-error -- what is stored is a value
    records.encryptRow('people', '1', { ssn: row.ssn }),
    // @ts-expect-error -- `if (row.admin)` would always hold
    field.boolean().concealed(),
    // @ts-expect-error -- also with an index
    field.boolean().searchable().concealed(),
    field.json<ReturnType<typeof JSON.parse>>().concealed(),
  ]);
});

/** A canary as text, as bytes, and as it is stored. */
const told = [canary, photo.slice(0, 5).join(', '), 'eaasA'];

/** Which of these is in what a log, a response, a queue or an error tracker could make of a thing. */
function leaksIn(thing: unknown): string[] {
  const all = { showHidden: true, depth: Infinity, getters: true } as const;
  const [cloned, serialized] = [structuredClone(thing), serialize(thing)];
  const copies = [
    thing,
    cloned,
    deserialize(serialized),
    { ...Object(thing) },
    Object.entries(Object(thing)),
  ];
  const texts = [String(thing), `a ${thing as string}`, format('%s %o %O %j', thing, thing, thing, thing)];
  for (const one of copies) texts.push(JSON.stringify(one), inspect(one), inspect(one, all));
  texts.push(serialized.toString('latin1'), inspect(thing, { ...all, customInspect: false }));
  for (let cause = thing; cause !== undefined; cause = Object(cause).cause) {
    for (const key of Reflect.ownKeys(Object(cause))) texts.push(String(Reflect.get(Object(cause), key)));
  }
  return told.filter((text) => texts.some((shown) => shown.replaceAll(/\s+/g, ' ').includes(text)));
}

test('nothing shows a canary in text, JSON, bytes, `previous`, `onError` or an error, before and after `reveal`', async () => {
  const { row, client, stored } = await openPeople();
  expect(leaksIn({ a: [{ canary, photo }], b: stored.ssn })).toEqual(told);
  const text = field.text({ previous: plaintext() }).concealed();
  const older = { ssn: text, photo: field.bytes({ previous: plaintext() }).concealed() };
  const records = defineFields({ people: older }).for(client);
  const old = await records.decryptRow('people', '1', { ssn: canary, photo });
  const ssn: string = stored.ssn;
  const moved = await records.decryptRow('people', '2', { ssn }, { onError: () => canary as never });
  const failing = await records.decryptRow('people', '2', { ssn });
  const rows = [row, old, moved, failing];
  const things = [rows, row, ...rows.flatMap((each) => Object.values(each))];
  for (const thing of things) expect(leaksIn(thing)).toEqual([]);
  expect(await reveal([old], ['ssn', 'photo'])).toEqual([{ ssn: canary, photo }]);
  expect([await reveal([row], columns), await moved.ssn.reveal()]).toEqual([[ada], canary]);
  const error = await failure(failing.ssn.reveal());
  expect(error).toMatchObject({ name: 'FieldError', code: 'decryption', field: 'ssn', row: '2' });
  for (const thing of [...things, error, new Error('1', { cause: error }), new Error('2', { cause: rows })]) {
    expect(leaksIn(thing)).toEqual([]);
  }
});

/** Fields that are concealed, and one whose value cannot be read. Their rows have canaries, as no migration has converted them. */
const hidden = {
  ...unencrypted('id'),
  bad: field.text(),
  ssn: field.text({ previous: plaintext() }).concealed(),
  photo: field.bytes({ previous: plaintext() }).concealed(),
  notes: field.json<object>({ previous: plaintext(Object) }).concealed(),
  pin: field.text().concealed(),
} as const;
const unconverted = { id: '1', bad: 'no ciphertext', ssn: canary, photo, notes, pin: canary };
type OnError = (error: sdk.FieldError, row: object) => unknown;
type HiddenRecords = sdk.Records<{ hidden: typeof hidden; visits: typeof visits }>;

test.each<[string, (records: HiddenRecords, onError: OnError) => Promise<unknown>]>([
  ['a row', (records, onError) => records.decryptRow('hidden', '1', unconverted as never, { onError })],
  ['rows', (records, onError) => records.decryptRows('hidden', [unconverted] as never, idOf, { onError })],
  [
    'settled rows',
    (records, onError) =>
      records.decryptRows('hidden', [unconverted] as never, idOf, { onError, settled: true }),
  ],
  [
    'rows with another name of a column',
    (records, onError) => {
      const { ssn: social, pin: code, ...others } = unconverted;
      const as = { social: 'ssn', code: 'pin' };
      const rows = [{ ...others, social, code }] as never;
      return records.decryptRows('hidden', rows, idOf, { onError, as } as never);
    },
  ],
  [
    'rows that are read as values',
    (records, onError) =>
      records.decryptRows('hidden', [unconverted] as never, idOf, { onError, reveal: true }),
  ],
  [
    'rows whose handles are revealed',
    async (records, onError) => {
      const moved = await records.encryptRow('hidden', '2', { pin: 'x' });
      const rows = [{ ...unconverted, ...moved, bad: null }] as never;
      const read: object[] = await records.decryptRows('hidden', rows, idOf, { onError });
      return reveal(read, ['pin' as never]);
    },
  ],
  [
    'nested rows',
    (records, onError) => {
      const outer = { id: '1', patient: 'p-1', note: null, inner: [unconverted] };
      const nesting = { table: 'visits', nested: { inner: { table: 'hidden' } } };
      return sdk.decryptNested(records, [outer], nesting as never, { onError } as never);
    },
  ],
])('`onError` of %s gets handles where concealed values are not encrypted', async (_, read) => {
  const { client } = await observedClient();
  const onError = vi.fn<OnError>(() => null);
  await read(defineFields({ hidden, visits }).for(client), onError);

  expect(onError).toHaveBeenCalled();
  for (const [, row] of onError.mock.calls) {
    const text = [inspect(row, { depth: null }), JSON.stringify(row)].join().replaceAll(/\s+/g, ' ');
    for (const each of [canary, photo.slice(0, 5).join(', ')]) expect(text).not.toContain(each);
    const values = Object.entries(row).filter(([, value]) => String(value) === '[concealed]');
    expect(values.length).toBeGreaterThanOrEqual(3);
    const handles = Object.fromEntries(values.filter(([name]) => /^(?:ssn|social)$/.test(name)));
    for (const [shown] of [await reveal([handles], Object.keys(handles) as never[])]) {
      expect(Object.values(Object(shown))).toEqual([canary]);
    }
  }
});

test('the core of another copy of the SDK shows `onError` no concealed value either', async () => {
  const { client } = await observedClient();
  vi.resetModules();
  const { coreOf: twinOf } = await import('./core.ts');
  const texts: string[] = [];
  const onError = (_error: unknown, row: object) => void texts.push(inspect(row, { depth: null }));
  const core = twinOf(client, { onError }, 'withEncryption');
  const table = core.table(defineFields<sdk.FieldsTables>({ hidden }), 'hidden');

  const shown = { ...unconverted };
  const put = (opened: object) => Object.assign(shown, opened);
  await core.begin().open([{ table, stored: { ...unconverted }, id: '1', shown, put }], []);
  expect(texts).toHaveLength(2);
  for (const text of texts) {
    expect(text).toContain('ssn: Concealed');
    expect(text).not.toContain(canary);
  }
});

test('`reveal` returns new rows, in which other columns, order, null and unknown members stay', async () => {
  const { records, stored, row } = await openPeople();
  const given = [
    { ...stored, ssn: null, extra: { a: 1 }, city: 'Turin' },
    { ...stored, extra: undefined, city: 'Rome' },
  ];
  const rows = await records.decryptRows('people', given, idOf);
  const shown = await reveal(rows, ['ssn', 'city', 'age']);
  expect(shown).toEqual(rows.map((each, at) => ({ ...each, age: 0, ssn: [null, canary][at] })));
  expect([shown[0]?.extra === given[0]?.extra, shown[1]?.notes === rows[1]?.notes]).toEqual([true, true]);
  expect([String(rows[1]?.ssn), await reveal([], [])]).toEqual(['[concealed]', []]);
  for (const bad of [[null], [Promise.resolve({})], ['row'], row, undefined]) {
    await expect(reveal(bad as never, ['ssn'] as never)).rejects.toMatchObject({ code: 'input' });
  }
});

test('`{ reveal }` of a call returns values, and `decryptNested` returns handles', async () => {
  const { records, stored } = await openPeople();
  expect(await records.decryptRows('people', [stored], idOf, { reveal: true })).toEqual([ada]);
  const renamed = { number: stored.ssn, other: stored.age };
  const as = { number: 'ssn', other: 'age' } as const;
  const { number, other } = await records.decryptRow('people', '1', renamed, { as, reveal: ['other'] });
  expect([String(number), await number.reveal(), other]).toEqual(['[concealed]', canary, 0]);
  const given = [{ ...stored, visits: await records.encryptRows('visits', visitsOf(1), idOf) }];
  const nesting = { table: 'people', nested: { visits: { table: 'visits' } } } as const;
  const inside = (await sdk.decryptNested(records, given, nesting)).flatMap((each) => each.visits);
  expect([String(inside[0]?.note), await reveal(inside, ['note'])]).toEqual(['[concealed]', visitsOf(1)]);
  const [revealed] = await sdk.decryptNested(records, given, nesting, { reveal: ['note'] });
  expect([revealed?.visits, String(revealed?.ssn)]).toEqual([visitsOf(1), '[concealed]']);
});

test('a list asks nothing, also while the service is down, and `reveal` asks once for all data keys', async () => {
  const { client, service, make, recordsOf, records, stored: ofOne } = await openPeople();
  const stored = await records.encryptRows('visits', visitsOf(50), idOf);
  const sent = service.requests.length;
  service.failNext('network');
  const rows = await recordsOf(make({ retries: 0 })).decryptRows('visits', stored, idOf);
  await expect(rows[0]?.note?.reveal()).rejects.toMatchObject({
    name: 'FieldError',
    code: 'network',
    row: '0',
  });
  expect([service.requests.length - sent, await unwrapsOf(client)]).toEqual([1, []]);
  const before = service.requests.length;
  expect(await reveal(rows, ['note'])).toEqual(visitsOf(50));
  expect(routesOf(service).slice(before)).toEqual(['batch/unwrap']);
  const reading = recordsOf(make());
  const lists = [[ofOne, ofOne], [ofOne]].map(async (some) => reading.decryptRows('people', some, idOf));
  const people = (await Promise.all(lists)).flat();
  for (let time = 0; time < 2; time++) expect(await reveal(people, columns)).toEqual([ada, ada, ada]);
  expect(service.requests.length - before).toBe(2);
});

test('a handle outlives the time limit of the read that made it', async () => {
  const { records, stored } = await openPeople();
  const reading = new AbortController();
  const row = await records.decryptRow('people', '1', stored, { signal: reading.signal });
  reading.abort();
  expect(await row.ssn.reveal()).toBe(canary);
  expect(await reveal([row], ['ssn'])).toMatchObject([{ ssn: canary }]);
});

test('with `cache: { decrypt: false }`, n values are n entries, of the user whom `by` names', async () => {
  const { client, make, records, recordsOf } = await openPeople({ cache: { decrypt: false } });
  const stored = await records.encryptRows('visits', visitsOf(3), idOf);
  const rows = await recordsOf(make()).as('reader').decryptRows('visits', stored, idOf);
  expect(await unwrapsOf(client)).toEqual([]);
  await reveal(rows, ['note'], { by: make().as('nurse') });
  await rows[0]?.note?.reveal({ by: coreOf(make(), { user: () => 'nurse' }, 'test').client() });
  await rows[0]?.note?.reveal();
  const [reader, ...nurse] = await unwrapsOf(client);
  expect([nurse.length, new Set(nurse).size, nurse.includes(reader)]).toEqual([4, 1, false]);
});

test('`requireUser` is asked at `reveal`, and a handle ends with its client', async () => {
  const { client, make } = await observedClient();
  const some = defineFields({ notes: { text: field.text({ previous: plaintext() }).concealed() } });
  const { text } = await some.for(client).encryptRow('notes', '1', { text: canary });
  const strict = make({ requireUser: true });
  const rows = await some.for(strict).decryptRows('notes', [{ text }, { text: canary as never }], () => '1');
  const handles = rows.map((row) => row.text);
  const refused = { name: 'EncryptedTableError', code: 'user_unknown', table: 'notes', column: 'text' };
  for (const handle of handles) {
    for (const by of [undefined, strict]) await expect(handle.reveal({ by })).rejects.toMatchObject(refused);
    expect(await handle.reveal({ by: strict.as('7') })).toBe(canary);
  }
  const own = await some.for(strict).as('8').decryptRow('notes', '1', { text });
  expect(await own.text.reveal()).toBe(canary);
  for (const by of [null, 'nurse', {}] as never[]) {
    await expect(own.text.reveal({ by })).rejects.toThrow(/`by` of `reveal` must be a client/);
  }
  const signal = AbortSignal.abort();
  await expect(own.text.reveal({ signal })).rejects.toMatchObject({ code: 'aborted' });
  await strict.close();
  for (const handle of [own.text, ...handles]) {
    await expect(handle.reveal({ by: strict.as('8') })).rejects.toMatchObject({ code: 'closed' });
    expect(await handle.reveal({ by: client })).toBe(canary);
  }
});

test('a wrong form fails at the read, and a decryption at `reveal`, where `onError` decides', async () => {
  const { client, records, recordsOf, make, stored } = await openPeople();
  const [plain, moved] = [
    { ...stored, ssn: canary as never },
    { ...stored, id: '2' },
  ];
  const reading = failure(records.decryptRows('people', [plain], idOf));
  expect(await reading).toMatchObject({ name: 'FieldError', code: 'format', field: 'ssn', row: '1' });
  const onError = vi.fn((error: sdk.FieldError) => error.code);
  const rows = await records.decryptRows('people', [moved, plain], idOf, { onError });
  expect([rows[1]?.ssn, onError.mock.calls.length]).toEqual(['format', 1]);
  expect(await reveal(rows, ['ssn'])).toMatchObject([{ ssn: 'decryption' }, { ssn: 'format' }]);
  const at = { name: 'FieldError', code: 'decryption', table: 'people', field: 'ssn', row: '2' };
  expect(onError.mock.calls[1]).toEqual([expect.objectContaining(at), moved]);
  const strict = await records.decryptRows('people', [stored, moved], idOf);
  await expect(reveal(strict, ['ssn'])).rejects.toMatchObject(at);
  const ofPeople = await records.encryptRows('visits', visitsOf(2), idOf);
  await client.subjects.erase({ subject: 'p-1' });
  const read = await recordsOf(make({ retries: 0 })).decryptRows('visits', ofPeople, idOf);
  expect(await reveal(read, ['note'])).toMatchObject([{ note: 'note 0' }, { note: null }]);
});

test('an asynchronous reader in `previous` runs at the read, or at `reveal` of a concealed field', async () => {
  const read = vi.fn(async (text: unknown): Promise<string> => {
    await arrivals(1);
    if (text === 'bad') throw new Error(canary);
    return `${String(text)}!`;
  });
  const [plain, bytes] = [field.text({ previous: plaintext(read) }), field.bytes()];
  const older = defineFields({ notes: { plain, bytes, hidden: plain.concealed() } });
  const records = older.for((await observedClient()).client);
  const row = await records.decryptRow('notes', '1', { plain: 'x', hidden: 'y' });
  expect([row.plain, read.mock.calls.length, await row.hidden.reveal()]).toEqual(['x!', 1, 'y!']);
  const bad = await records.decryptRow('notes', '1', { hidden: 'bad' });
  const failed = [bad.hidden.reveal(), records.decryptRow('notes', '1', { plain: 'bad' })];
  const errors = (await Promise.all(failed.map(failure))) as sdk.FieldError[];
  expect(errors.map((error) => `${error.code} ${error.field}`)).toEqual(['format hidden', 'format plain']);
  expect([leaksIn(errors), await olderTextOf(plain, 'bad')]).toEqual([[], undefined]);
  // Both values fail, the second at once. The first must not end as a rejection that nobody handles.
  const onError = (error: sdk.FieldError) => expect.unreachable(error.field);
  const both = records.decryptRow('notes', '1', { plain: 'bad', bytes: 'bad' as never }, { onError });
  await expect(both).rejects.toThrow('bytes');
});

test('a handle is written nowhere, and means "leave it" in an update of its own row', async () => {
  const { row, records, client, index } = await openPeople();
  const concealed = { name: 'EncryptedTableError', code: 'concealed', table: 'people' };
  const writing = async (values: object) =>
    failure(records.encryptRow('people', '1', { id: '1', ...values }));
  for (const column of columns) {
    for (const value of [row.ssn, '[concealed]', structuredClone(row[column])]) {
      expect(await writing({ [column]: value })).toMatchObject({ ...concealed, column });
    }
  }
  expect(await writing({ city: row.ssn })).toMatchObject({ ...concealed, column: 'city' });
  for (const query of [{ ssn: row.ssn }, { born: row.born }] as never[]) {
    await expect(records.where('people', query)).rejects.toMatchObject(concealed);
    expect(() => records.onlyMatching('people', [ada], query)).toThrow(/it is concealed: reveal it first/);
  }
  expect(() => records.onlyMatching('people', [row], { ssn: canary })).toThrow(/people\.ssn: .*reveal it/);
  const really = { ssn: '[concealed]', notes: {} as never };
  const empty = await records.encryptRow('people', '1', really, { revealed: true });
  expect(await records.decryptRow('people', '1', empty, { reveal: true })).toEqual(really);
  const core = coreOf(client, { index }, 'test');
  const table = core.table(fields as never, 'people');
  const { ssn, born, age } = row;
  const left = [
    { ssn, born, city: 'Rome', name: row.name, age },
    { name: row.name, age: undefined },
  ];
  expect(left.map((values) => withoutOwn(table, values, 1))).toEqual([{ city: 'Rome' }, { age: undefined }]);
  // In a schema of its own, a table can have the same name.
  const same = core.table(defineFields({ people: { ssn: field.text() } }) as never, 'people');
  const others = [{ born: ssn }, { city: ssn }, { name: row.name, age: 5 }].map((values) => [
    table,
    values,
    1,
  ]);
  for (const given of [...others, [table, { ssn }, 2], [same, { ssn }, 1]] as Parameters<
    typeof withoutOwn
  >[]) {
    expect(() => withoutOwn(...given)).toThrow(expect.objectContaining(concealed));
  }
});

test('another copy of the SDK reveals a handle, and refuses to store it', async () => {
  const { row, client } = await openPeople();
  vi.resetModules();
  const other = await import('./fields.ts');
  vi.resetModules();
  expect([row.ssn instanceof other.Concealed, await other.reveal([row], columns)]).toEqual([false, [ada]]);
  const records = other.defineFields({ notes: { text: other.field.text() } }).for(client);
  const writing = records.encryptRow('notes', '1', { text: row.ssn as never });
  await expect(writing).rejects.toMatchObject({ code: 'concealed', table: 'notes', column: 'text' });
});

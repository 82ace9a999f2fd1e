import { EaasClient } from '@eaas/sdk';
import { createIndexKey, defineFields, field, unencrypted, withFields } from '@eaas/sdk/fields';
import { openServiceAndTable, type ServiceAndTable } from '@eaas/test-kit/service-and-table';
import { inventory, migrate, type SqlDatabase } from '@eaas/migrate';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

let place: ServiceAndTable;
let client: EaasClient;
let keyId: string;
let index: string;
let database: SqlDatabase;

beforeAll(async () => {
  place = await openServiceAndTable();
  database = { query: (statement, parameters) => place.sql.unsafe(statement, parameters) };
});
afterAll(async () => place.close());

const fields = defineFields({
  patients: {
    subject: 'person',
    ...unencrypted('id', 'person'),
    lowEntropy: 'accepted',
    name: field.text().searchable(),
    born: field.date().searchableBy({ and_name: withFields(['name']) }),
  },
});
const people = 12;
let round = 0;
const personOf = (id: number) => `person ${id} of ${round}`;
/** Every fourth row has no name. */
const nameOf = (id: number) => (id % 4 === 0 ? null : `Name ${id}`);
const erased = [2, 3];

interface Stored {
  readonly id: number;
  readonly person: string;
  readonly name: string | null;
  readonly born: string | null;
}

const recordsOf = () => fields.for(client, { index });
const stored = () => place.sql<Stored[]>`select * from patients order by id`;
/** Each row is of a person of its own. */
beforeEach(async () => {
  round++;
  ({ client, keyId } = await place.connect());
  index = await createIndexKey(client);
  await place.sql`drop table if exists patients`;
  await place.sql`
    create table patients (id int primary key, person text, name text, born text, name_index text, born_and_name_index text)`;
  const rows = Array.from({ length: people }, (_, at) => ({
    id: at + 1,
    person: personOf(at + 1),
    name: nameOf(at + 1),
    born: new Date('1990-01-01'),
  }));
  const encrypted = await recordsOf().encryptRows('patients', rows, ({ id }) => id);
  await place.sql`insert into patients ${place.sql(encrypted as never)}`;
});

const rotate = () => client.keys.rotate({ key_id: keyId });
const versionsOf = async (): Promise<(readonly [number, number])[]> => {
  const { keys } = await inventory(database, 'patients', { fields });
  return keys.flatMap(({ versions }) =>
    versions.map(({ key_version, values }) => [key_version, values] as const),
  );
};

describe.each(['rewrap', 'reencrypt'] as const)('%s', (mode) => {
  // A client has data keys of the old version for a while: `reencrypt` needs a new one.
  const run = async (more: object = {}) => {
    const fresh = mode === 'rewrap' ? client : (await place.connectTo(keyId)).client;
    return migrate(database, 'patients', mode, { client: fresh, fields, index, ...more });
  };

  test('moves each value to the newest version, counts erased people apart, and is done once', async () => {
    for (const id of erased) await client.subjects.erase({ subject: personOf(id) });
    await rotate();
    expect(await run({ pageSize: 5 })).toMatchObject({
      done: true,
      failures: [],
      left: { count: 0, ids: [] },
      progress: { mode, seen: people, rewritten: people - 2, checked: people, erased: 2, failed: 0 },
    });
    expect(await versionsOf()).toEqual([
      [1, 4],
      [2, 2 * people - 3 - 4],
    ]);
    const before = await stored();
    expect(await run()).toMatchObject({ done: true, progress: { rewritten: 0, skipped: people - 2 } });
    expect(await stored()).toEqual(before);
    const rows = await recordsOf().decryptRows('patients', before as never, ({ id }: { id: number }) => id, {
      settled: true,
    });
    const names = rows.map((row) => (row.ok ? (row.value as { name?: unknown }).name : 'erased'));
    expect(names).toEqual(before.map(({ id }) => (erased.includes(id) ? 'erased' : nameOf(id))));
  });

  test('names a row that it cannot convert, and converts the others', async () => {
    await rotate();
    await place.sql`update patients set name = 'plain' where id = 2`;
    const name = (await stored())[4]?.name ?? '';
    await place.sql`update patients set name = ${name.slice(0, 60)} where id = 5`;
    const { done, failures, left, progress } = await run();
    expect({ done, ids: left.ids, failed: progress.failed }).toEqual({ done: false, ids: [2, 5], failed: 2 });
    expect(failures).toMatchObject([
      { id: 2, field: 'name', code: 'format' },
      { id: 5, field: 'name', code: 'format' },
    ]);
    expect(JSON.stringify(failures)).not.toContain('plain"');
  });
});

test('`reencrypt` with a client that has data keys of the old version writes nothing, and says so', async () => {
  await rotate();
  const before = await stored();
  const result = await migrate(database, 'patients', 'reencrypt', { client, fields, index });
  expect(result).toMatchObject({
    done: false,
    progress: { rewritten: 0, failed: people },
    left: { count: people },
  });
  expect(result.failures[0]).toMatchObject({
    code: 'key_version',
    message: expect.stringMatching(
      /^patients\.\w+ of row 1: .* wait 5 minutes, or use a new client$/,
    ) as string,
  });
  expect(await stored()).toEqual(before);
});

test('in `reencrypt`, a value that is not of the erased person of its row is a failure', async () => {
  const { subject: _, ...columns } = fields.tables.patients;
  const ofNobody = defineFields({ patients: columns }).for(client, { index });
  const row = { id: 2, name: nameOf(2), born: new Date('1990-01-01') };
  const { name } = await ofNobody.encryptRow('patients', 2, row);
  await place.sql`update patients set name = ${name} where id = 2`;
  await client.subjects.erase({ subject: personOf(2) });
  const fresh = (await place.connectTo(keyId)).client;
  expect(await migrate(database, 'patients', 'reencrypt', { client: fresh, fields, index })).toMatchObject({
    done: false,
    progress: { erased: 0, failed: 1 },
    failures: [{ id: 2, code: 'subject_erased' }],
  });
});

test('`reencrypt` moves a table to another key', async () => {
  const { key_id: next } = await client.keys.create({ name: `next ${keyId}` });
  const keyIds = { patients: [next, keyId] };
  const result = await migrate(database, 'patients', 'reencrypt', { client, fields, index, keyIds });
  expect(result).toMatchObject({ done: true, progress: { rewritten: people } });
  const { keys } = await inventory(database, 'patients', { fields });
  expect(keys.map(({ key_id }) => key_id)).toEqual([next]);
  expect(await migrate(database, 'patients', 'reencrypt', { client, fields, index, keyIds })).toMatchObject({
    progress: { rewritten: 0 },
  });
});

test.each(['rewrap', 'reencrypt', 'encrypt'] as const)(
  'a client without the permission ends a run in the mode %s, and the next run goes on',
  async (mode) => {
    await rotate();
    const options = { client, fields, index };
    const { api_key: apiKey } = await client.apiKeys.create({
      name: mode + keyId,
      permissions: ['audit.read'],
    });
    const strange = new EaasClient({ ...place.options, apiKey, keyId });
    const run = migrate(database, 'patients', mode, { ...options, client: strange });
    const error: unknown = await run.catch((cause: unknown) => cause);
    expect(error).toMatchObject({ name: 'FieldError', code: 'permission_missing' });
    expect(String(error)).toMatch(/patients\.\w+ of row 1: .*permission `(?:en|de)crypt`/);
    expect(await migrate(database, 'patients', 'rewrap', options)).toMatchObject({ done: true });
  },
);

test('a mode that is none is refused', async () => {
  const run = migrate(database, 'patients', 'rotate' as never, { client, fields, index });
  await expect(run).rejects.toThrow(
    /third argument of `migrate` must be 'index', 'encrypt', 'rewrap' or 'reencrypt'/,
  );
});

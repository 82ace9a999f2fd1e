import { EaasClient } from '@eaas/sdk';
import { createIndexKey, defineFields, field, unencrypted, withFields } from '@eaas/sdk/fields';
import { closing } from '@eaas/test-kit/closing';
import { openServiceAndTable } from '@eaas/test-kit/service-and-table';
import { inventory, migrate, type SqlDatabase } from '@eaas/migrate';
import { beforeEach, describe, expect, test } from 'vitest';

const place = await closing(openServiceAndTable(), (it) => it.close());
const { sql } = place;
const database: SqlDatabase = { query: (statement, parameters) => sql.unsafe(statement, parameters) };
let client: EaasClient;
let keyId: string;
let index: string;

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

const recordsOf = () => fields.for(client, { index });
const stored = () => sql<{ id: number; name: string | null }[]>`select * from patients order by id`;
/** Each row is of a person of its own. */
beforeEach(async () => {
  round++;
  ({ client, keyId } = await place.connect());
  index = await createIndexKey(client);
  await sql`drop table if exists patients`;
  await sql`
    create table patients (id int primary key, person text, name text, born text, name_index text, born_and_name_index text)`;
  const rows = Array.from({ length: people }, (_, at) => ({
    id: at + 1,
    person: personOf(at + 1),
    name: nameOf(at + 1),
    born: new Date('1990-01-01'),
  }));
  const encrypted = await recordsOf().encryptRows('patients', rows, ({ id }) => id);
  await sql`insert into patients ${sql(encrypted as never)}`;
});

const rotate = () => client.keys.rotate(keyId);
type Mode = Parameters<typeof migrate>[2];
const runIn = (mode: Mode, more: object = {}) =>
  migrate(database, 'patients', mode, { client, fields, index, ...more });

describe.each(['rewrap', 'reencrypt'] as const)('%s', (mode) => {
  // A client has data keys of the old version for a while: `reencrypt` needs a new one.
  const run = async (more: object = {}) => {
    const fresh = mode === 'rewrap' ? client : (await place.connectTo(keyId)).client;
    return runIn(mode, { client: fresh, ...more });
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
    const versions = [
      { key_version: 1, values: 4 },
      { key_version: 2, values: 2 * people - 3 - 4 },
    ];
    expect(await inventory(database, 'patients', { fields })).toMatchObject({ keys: [{ versions }] });
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
    await sql`update patients set name = 'plain' where id = 2`;
    const name = (await stored())[4]?.name ?? '';
    await sql`update patients set name = ${name.slice(0, 60)} where id = 5`;
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
  const result = await runIn('reencrypt');
  expect(result).toMatchObject({
    done: false,
    progress: { rewritten: 0, failed: people },
    left: { count: people },
  });
  const message = /^patients\.\w+ of row 1: .* wait 5 minutes, or use a new client$/;
  expect(result.failures[0]).toMatchObject({ code: 'key_version', message: expect.stringMatching(message) });
  expect(await stored()).toEqual(before);
});

test('in `reencrypt`, a value that is not of the erased person of its row is a failure', async () => {
  const { subject: _, ...columns } = fields.tables.patients;
  const ofNobody = defineFields({ patients: columns }).for(client, { index });
  const row = { id: 2, name: nameOf(2), born: new Date('1990-01-01') };
  const { name } = await ofNobody.encryptRow('patients', 2, row);
  await sql`update patients set name = ${name} where id = 2`;
  await client.subjects.erase({ subject: personOf(2) });
  const fresh = (await place.connectTo(keyId)).client;
  expect(await runIn('reencrypt', { client: fresh })).toMatchObject({
    done: false,
    progress: { erased: 0, failed: 1 },
    failures: [{ id: 2, code: 'subject_erased' }],
  });
});

test('`reencrypt` moves a table to another key', async () => {
  const { key_id: next } = await client.keys.create({ name: `next ${keyId}` });
  const keyIds = { patients: [next, keyId] };
  const result = await runIn('reencrypt', { keyIds });
  expect(result).toMatchObject({ done: true, progress: { rewritten: people } });
  const { keys } = await inventory(database, 'patients', { fields });
  expect(keys.map(({ key_id }) => key_id)).toEqual([next]);
  expect(await runIn('reencrypt', { keyIds })).toMatchObject({ progress: { rewritten: 0 } });
});

test.each(['rewrap', 'reencrypt', 'encrypt'] as const)(
  'a client without the permission ends a run in the mode %s, and the next run goes on',
  async (mode) => {
    await rotate();
    const { api_key: apiKey } = await client.apiKeys.create({ name: mode, permissions: ['audit.read'] });
    const strange = new EaasClient({ ...place.options, apiKey, keyId });
    const error: unknown = await runIn(mode, { client: strange }).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ name: 'FieldError', code: 'permission_missing' });
    expect(String(error)).toMatch(/patients\.\w+ of row 1: .*permission `(?:en|de)crypt`/);
    expect(await runIn('rewrap')).toMatchObject({ done: true });
  },
);

test('a mode that is none is refused', async () => {
  await expect(runIn('rotate' as never)).rejects.toThrow(
    /third argument of `migrate` must be 'index', 'encrypt', 'rewrap', 'reencrypt' or 'decrypt'/,
  );
});

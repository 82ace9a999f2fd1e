import { expect, test } from 'vitest';
import { observedClient, range } from '../../test/observed-client.ts';
import { InputError } from '../index.ts';

const subject = 'patient 42';
const all = async <T>(rows: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
};

test('a report shows what happened with the data of one person, and nothing else', async () => {
  const { client, make } = observedClient();
  const bundle = await client.as('7').encrypt('x', { subject });
  await client.encrypt('x', { subject: 'patient 43' });
  await make().as('8').decrypt(bundle, { subject });
  await make().decrypt(bundle, { subject });
  await expect(
    client.rewrap({ ...bundle, ciphertext: bundle.ciphertext }, { subject, wrapContext: { a: 'b' } }),
  ).rejects.toMatchObject({ code: 'decryption' });
  const { subject_id } = await client.subjects.erase({ subject });
  const rows = await all(client.audit.report({ subject }));
  expect(rows.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
    'subject.erase done',
    'key.wrap refused',
    'key.unwrap done',
    'key.unwrap done',
    'key.wrap done',
  ]);
  const [, , nobody, eight, seven] = rows.map(({ user }) => user);
  expect([nobody, typeof eight, typeof seven, eight === seven]).toEqual([null, 'string', 'string', false]);
  for (const row of rows) expect(Object.keys(row)).toEqual(['time', 'action', 'user', 'outcome']);
  expect(await all(client.audit.report({ subjectId: subject_id }))).toEqual(rows);
  expect(await all(client.audit.report({ subject }, { order: 'oldest' }))).toEqual(rows.toReversed());
});

test('a report has more rows than a page', async () => {
  const { client } = observedClient({ cache: { encrypt: false } });
  for (const value of range(250)) await client.encrypt(`${value}`, { subject });
  expect(await all(client.audit.report({ subject }))).toHaveLength(250);
});

test('a report on nobody throws', async () => {
  const { client, service } = observedClient();
  await expect(all(client.audit.report({ subject: '' }))).rejects.toBeInstanceOf(InputError);
  await expect(all(client.audit.report({ name: 'x' } as never))).rejects.toBeInstanceOf(InputError);
  expect(service.requests).toEqual([]);
  await expect(all(client.audit.report({ subject }))).rejects.toMatchObject({ code: 'not_found' });
});

import { EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/local';
import { expect, test } from 'vitest';
import { faultOf, findPerson, type Wanted } from './people-find.ts';
import { readAll } from '../parts/download.tsx';
import { reportOf } from './person-report.tsx';

const { signal } = new AbortController();
const subject = 'patient 42';

async function onePerson() {
  const service = createTestService();
  const client = new EaasClient({ ...service, cache: { encrypt: false, decrypt: false } });
  const { key_id: keyId } = await client.keys.create({ name: 'patients' });
  const ciphertext = await client.encrypt('x', { keyId, subject });
  await client.as('7').decrypt(ciphertext, { keyId, subject });
  const { subject_id } = await client.subjects.show({ subject });
  return { client, service, subject_id, find: (wanted: Wanted) => findPerson(client, wanted, signal) };
}

test('a person is found by the subject, the whole id and the first half of the id', async () => {
  const { find, subject_id, client } = await onePerson();
  const { created_at } = await client.subjects.show({ subject });
  const found = { id: subject_id, created_at, erased_at: null, erasure: undefined };
  expect(await find({ by: 'subject', text: subject })).toMatchObject(found);
  expect(await find({ by: 'id', text: ` ${subject_id} ` })).toMatchObject(found);
  const half = subject_id.slice(0, 32);
  expect(await find({ by: 'id', text: half })).toMatchObject({ ...found, id: half });
});

test('an erased person is found with the entry that proves it, also by half of the id', async () => {
  const { find, client, subject_id } = await onePerson();
  const { erased_at, entry } = await client.subjects.erase({ subject });
  for (const wanted of [
    { by: 'subject', text: subject },
    { by: 'id', text: subject_id.slice(0, 32) },
  ] as const) {
    expect(await find(wanted)).toMatchObject({ id: subject_id, erased_at, erasure: entry });
  }
});

test('nobody is found by an unknown subject or id', async () => {
  const { find } = await onePerson();
  await expect(find({ by: 'subject', text: 'nobody' })).rejects.toMatchObject({ code: 'not_found' });
  await expect(find({ by: 'id', text: 'a'.repeat(64) })).rejects.toMatchObject({ code: 'not_found' });
  expect(await find({ by: 'id', text: 'a'.repeat(32) })).toBeUndefined();
});

test('a subject that looks like an id never travels in a URL', async () => {
  const { service } = await onePerson();
  const text = 'ab'.repeat(16);
  const urls: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    urls.push(input instanceof Request ? input.url : String(input));
    return service.fetch(input, init);
  };
  const client = new EaasClient({ baseUrl: service.baseUrl, apiKey: service.apiKey, fetch });
  await expect(findPerson(client, { by: 'subject', text }, signal)).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(urls).toEqual([`${service.baseUrl}/v1/subjects/show`]);
});

const noId = 'A subject id has 32 or 64 characters of 0 to 9 and a to f, as the audit log shows it.';

test.each([
  ['subject', '', 'Type the subject, as your app passes it.'],
  ['subject', 'ø'.repeat(129), 'A subject has at most 256 bytes.'],
  ['subject', 'patient 42', undefined],
  ['subject', 'a'.repeat(32), undefined],
  ['id', 'patient 42', noId],
  ['id', 'A'.repeat(32), noId],
  ['id', 'a'.repeat(33), noId],
  ['id', ` ${'a'.repeat(64)} `, undefined],
] as const)('the search by %s for %j says what is wrong with it', (by, text, fault) => {
  expect(faultOf({ by, text })).toBe(fault);
});

test('the downloaded report has the rows of `audit.report`, of half an id too', async () => {
  const { client, subject_id } = await onePerson();
  await client.subjects.erase({ subject });
  const rows = [];
  for await (const row of client.audit.report({ subject })) rows.push(row);
  expect(rows.map(({ action }) => action)).toEqual(['subject.erase', 'key.unwrap', 'key.wrap']);
  for (const id of [subject_id, subject_id.slice(0, 32)]) {
    expect(await readAll(reportOf(client, id, signal), () => {})).toEqual(rows);
  }
});

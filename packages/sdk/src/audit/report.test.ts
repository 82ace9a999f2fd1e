import { createLocalService } from '@eaas/local';
import { expect, test } from 'vitest';
import { all, observedClient } from '../../test/observed-client.ts';
import { EaasClient, InputError } from '../index.ts';
import { reportCsv, reportRow } from './report.ts';

const subject = 'patient 42';
test('a report shows what happened with the data of one person, and nothing else', async () => {
  const { client, make } = await observedClient();
  const bundle = await client.as('7').encrypt('x', { subject });
  await client.encrypt('x', { subject: 'patient 43' });
  await make().as('8').decrypt(bundle, { subject });
  await make().decrypt(bundle, { subject });
  const refused = client.rewrap(bundle, { subject, wrapContext: { a: 'b' } });
  await expect(refused).rejects.toMatchObject({ code: 'decryption' });
  const { subject_id } = await client.subjects.erase({ subject });
  const rows = await all(client.audit.report({ subject }));
  expect(rows.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
    'subject.erase done',
    'moved to a new key version refused',
    'key.unwrap done',
    'key.unwrap done',
    'key.wrap done',
  ]);
  const [, , nobody, eight, seven] = rows.map(({ user }) => user);
  expect([nobody, typeof eight, typeof seven, eight === seven]).toEqual([null, 'string', 'string', false]);
  for (const row of rows) expect(Object.keys(row)).toEqual(['time', 'action', 'user', 'outcome']);
  expect(await all(client.audit.report({ subjectId: subject_id }))).toEqual(rows);
  expect(await all(client.audit.report({ subject, order: 'oldest' }))).toEqual(rows.toReversed());
});

test('a report on a name that is none throws, and one on a subject that was never used is empty', async () => {
  const { client, service } = await observedClient();
  await expect(all(client.audit.report({ subject: '' }))).rejects.toBeInstanceOf(InputError);
  await expect(all(client.audit.report({ subject: undefined } as never))).rejects.toBeInstanceOf(InputError);
  const misspelt = all(client.audit.report({ subject_id: 'x' } as never));
  await expect(misspelt).rejects.toThrow('did you mean `subjectId`?');
  expect(service.requests).toEqual([]);
  expect(await all(client.audit.report({ subject }))).toEqual([]);
  expect(await all(client.audit.report({ subjectId: 'a'.repeat(64) }))).toEqual([]);
  await expect(all(client.audit.report({ subjectId: 'a' }))).rejects.toMatchObject({ code: 'bad_request' });
  await using local = new EaasClient({ service: createLocalService() });
  await expect(all(local.audit.report({ subject }))).rejects.toThrow(/log/);
});

test('a report as CSV has the columns of the rows', async () => {
  const { client, keyId } = await observedClient();
  const bundle = await client.as('7').encrypt('x', { subject });
  await client.keys.rotate(keyId);
  await client.rewrap(bundle, { subject });
  await client.subjects.erase({ subject });
  const rows = await all(client.audit.report({ subject }));
  expect(rows.map(({ action }) => action)).toEqual([
    'subject.erase',
    'moved to a new key version',
    'key.wrap',
  ]);
  const titles = 'time,action,user,outcome\r\n';
  const lines = rows.map(
    ({ time, action, user, outcome }) => `${time},${action},${user ?? ''},${outcome}\r\n`,
  );
  expect(reportCsv(rows)).toBe(titles + lines.join(''));
  expect(reportCsv([])).toBe(titles);
});

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@sum', "'@sum"],
  ['\t=1', "'\t=1"],
  ['＝1', "'＝1"],
  ['=HYPERLINK("https://a.example","x")', `"'=HYPERLINK(""https://a.example"",""x"")"`],
  ['a,b', '"a,b"'],
  ['a\r\n=1', '"a\r\n=1"'],
])('the cell %j of a faulty service is no formula in the CSV file', (user, cell) => {
  const entry = { created_at: '2026-11-20T08:14:33.902Z', action: 'key.unwrap', metadata: { user } } as const;
  expect(reportCsv([reportRow(entry)]).split('key.unwrap,')[1]).toBe(`${cell},done\r\n`);
});

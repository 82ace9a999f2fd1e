import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { client } from '@eaas/test-kit/api';
import { commandLine, inTerminal, jsonLines, refusalOf } from '@eaas/test-kit/command-line';
import { eaas as program, run, serve } from '@eaas/test-kit/program';
import { newDirectory } from '@eaas/test-kit/directory';
import type { ReportRow } from '@eaas/sdk';
import { reportCsv, reportRow } from '@eaas/sdk/internal';

interface Erased {
  readonly subject_id: string;
  readonly erased_at: string;
  readonly entry: { readonly id: number; readonly hash: string };
}

const eaas = await commandLine();
await eaas.json('tenant', 'create', '--name', 'acme');
const [key] = await eaas.json<{ key_id: string }>('key', 'create', '--tenant', 'acme', '--name', 'patients');
const ofApp = ['--tenant', 'acme', '--name', 'app', '--permissions', 'all'];
const [made] = await eaas.json<{ api_key: string }>('api-key', 'create', ...ofApp);
const server = await serve(eaas.env);
const path = `/v1/keys/${key?.key_id}`;
const dek = Buffer.alloc(32, 7).toString('base64');

const api = client(server.baseUrl, made?.api_key);
const post = async (path: string, body: object) =>
  (await api.post(path, body)).body as { wrapped_key?: string; code?: string };

/** Runs a command of the group `subject` that gets this standard input. */
const subject = (input: string, ...args: string[]) =>
  run([...program, 'subject', ...args, '--tenant', 'acme'], eaas.env, { input });
const atTerminal = (answers: string, ...args: string[]) =>
  run(inTerminal(['subject', ...args, '--tenant', 'acme']), eaas.env, { input: answers });

async function newPerson(name: string) {
  const { wrapped_key } = await post(`${path}/wrap`, { dek, subject: name });
  return {
    unwrap: (fields: object = {}) => post(`${path}/unwrap`, { wrapped_key, subject: name, ...fields }),
  };
}

afterAll(() => server.stop());

test('a person is shown, reported and erased, by a name from standard input or by an id', async () => {
  const name = 'patient 42, Ærø';
  const { unwrap } = await newPerson(name);
  await unwrap({ user: 'dr-7' });
  await post(`${path}/unwrap`, { wrapped_key: 'AAAA', subject: name });

  const shown = await subject(`${name}\n`, 'show', '--json');
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  const [record] = jsonLines<{ subject_id: string; erased_at: string | null }>(shown.stdout);
  expect(record).toMatchObject({
    subject_id: expect.stringMatching(/^[\da-f]{64}$/) as string,
    erased_at: null,
  });
  const id = record?.subject_id ?? '';
  expect(await subject('', 'show', '--json', '--id', id)).toMatchObject({ code: 0, stdout: shown.stdout });

  const rows = jsonLines<ReportRow>((await subject(name, 'report', '--json')).stdout);
  expect(rows).toMatchObject([
    { action: 'key.unwrap', user: null, outcome: 'refused' },
    { action: 'key.unwrap', user: expect.stringMatching(/^[\da-f]{32}$/) as string, outcome: 'done' },
    { action: 'key.wrap', user: null, outcome: 'done' },
  ]);
  expect((await subject(name, 'report', '--format', 'csv')).stdout).toBe(reportCsv(rows));
  expect((await subject(name, 'report')).stdout).toMatch(/^time +action +user +outcome/);
  const folder = join(await newDirectory(), 'report');
  const evident = await subject(name, 'report', '--json', '--evidence', folder);
  expect([evident.code, jsonLines(evident.stdout)]).toEqual([0, rows]);
  const entries = join(folder, 'entries.ndjson');
  const whole = jsonLines<object>(await readFile(entries, 'utf8')).filter((line) => 'action' in line);
  expect(whole.toReversed().map((entry) => reportRow(entry as never))).toEqual(rows);
  const byId = join(await newDirectory(), 'by-id');
  const gathered = await eaas('audit', 'evidence', '--tenant', 'acme', '--subject', id, '--out', byId);
  expect(gathered.code).toBe(0);
  const shownById = await readFile(join(byId, 'entries.ndjson'), 'utf8');
  expect(jsonLines<object>(shownById).filter((line) => 'action' in line)).toEqual(whole);
  const verified = await eaas('audit', 'verify-file', entries, '--partial', '--json');
  expect([verified.code, JSON.parse(verified.stdout)]).toMatchObject([0, { valid: true, first_id: 1 }]);

  expect(await refusalOf(subject(name, 'erase'), 2)).toBe(
    'Nothing was erased. Without a terminal, the command needs --yes.\n',
  );
  expect(await unwrap()).toMatchObject({ dek });
  const erased = await subject(name, 'erase', '--yes', '--json');
  expect(erased).toMatchObject({ code: 0, stderr: '' });
  const [erasure] = jsonLines<Erased>(erased.stdout);
  expect(erasure?.subject_id).toBe(id);
  expect(await unwrap()).toMatchObject({ code: 'subject_erased' });
  expect(await subject('', 'erase', '--yes', '--json', '--id', id)).toMatchObject({ stdout: erased.stdout });
  const [refused, newest] = jsonLines((await subject(name, 'report', '--json')).stdout);
  expect(refused).toMatchObject({ action: 'key.unwrap', outcome: 'refused' });
  expect(newest).toEqual({ time: erasure?.erased_at, action: 'subject.erase', user: null, outcome: 'done' });
});

test('an unknown subject is refused, and --create remembers it as erased', async () => {
  for (const command of ['show', 'report']) {
    expect(await refusalOf(subject('nobody', command), 1)).toMatch(
      /^The tenant has no such subject\. A subject is compared exactly/,
    );
  }
  expect(await subject('nobody', 'erase', '--yes')).toMatchObject({ code: 1 });
  const erased = await subject('nobody', 'erase', '--yes', '--create');
  expect(erased).toMatchObject({ code: 0 });
  expect(erased.stdout).toMatch(/subject_id .*\nerased_at .*\nentry_id .*\nentry_hash/);
  expect(await post(`${path}/wrap`, { dek, subject: 'nobody' })).toMatchObject({ code: 'subject_erased' });
});

test.each([
  ['an empty line', ['show'], '\n', /^No subject was entered: enter it, pipe it/],
  ['a second line', ['show'], 'a\nb\n', /`subject` has a control character/],
  ['half of an id', ['show', '--id', 'a'.repeat(32)], '', /Pass the whole subject_id/],
  ['a subject as an argument', ['show', 'patient 42'], '', /too many arguments/],
  ['CSV and JSON', ['report', '--json', '--format', 'csv'], 'a', /either --json or --format csv/],
])('%s is wrong usage', async (_, args, input, message) => {
  expect(await refusalOf(subject(input, ...args), 2)).toMatch(message);
});

test('at a terminal, the command asks for the subject, and before it erases', async () => {
  const { unwrap } = await newPerson('at a terminal');
  const shown = await atTerminal('at a terminal\n', 'show');
  expect(shown).toMatchObject({ code: 0 });
  expect(shown.stdout).toContain('The subject, as the application passes it: ');
  const [, id = ''] = /subject_id +([\da-f]{64})/.exec(shown.stdout) ?? [];
  const refused = await atTerminal('no\n', 'erase', '--id', id);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stdout).toContain(`The subject ${id}, first used at `);
  expect(await unwrap()).toMatchObject({ dek });
  expect(await atTerminal('yes\n', 'erase', '--id', id)).toMatchObject({ code: 0 });
  expect(await unwrap()).toMatchObject({ code: 'subject_erased' });
});

// The command in this process, on PostgreSQL: what it refuses, and what a person says of single rows.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EaasClient } from '@eaas/sdk';
import { defineFields, field } from '@eaas/sdk/fields';
import { closing } from '@eaas/test-kit/closing';
import { newDirectory } from '@eaas/test-kit/directory';
import { lookAlike } from '@eaas/test-kit/look-alike';
import { root } from '@eaas/test-kit/markdown';
import { openServiceAndTable } from '@eaas/test-kit/service-and-table';
import { afterAll, expect, test, vi } from 'vitest';
import { run } from '../command.ts';

const service = await closing(openServiceAndTable(), (it) => it.close());
const { sql, connection, options } = service;
const { host: PGHOST, port, database: PGDATABASE, username: PGUSERNAME } = connection;
const database = { DATABASE_URL: 'postgres://', PGHOST, PGPORT: String(port), PGDATABASE, PGUSERNAME };
const { baseUrl: EAAS_BASE_URL, apiKey: EAAS_API_KEY } = options;
const { keyId: EAAS_KEY_ID } = await service.connect();
const client = { EAAS_BASE_URL, EAAS_API_KEY, EAAS_KEY_ID };
for (const [name, value] of Object.entries({ ...database, ...client, OLD_KEY: '7f'.repeat(32) }))
  vi.stubEnv(name, value);
afterAll(() => void vi.unstubAllEnvs());
// The query makes it a module of its own, with this key.
const { encrypt } = await import(`${root}examples/adopt/links.mjs?${PGDATABASE}`);
const { encrypt: sign } = await import(`${root}examples/adopt/mailboxes.mjs?${PGDATABASE}`);

interface Row {
  readonly id: string;
  readonly token: string;
}
const stored = async () => [...(await sql<Row[]>`select * from tokens order by id`)];

async function fill(rows: readonly (readonly [id: string, token: string])[]): Promise<void> {
  await sql`create table if not exists tokens (id text primary key, token text)`;
  await sql`delete from tokens`;
  await sql`insert into tokens ${sql(rows.map(([id, token]) => ({ id, token })))}`;
}

async function adopt(...more: string[]) {
  const said = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => Boolean((said[name] += String(text)))),
  );
  const key = more.includes('--reader') ? '' : ' --old-key OLD_KEY';
  const code = await run([...`adopt DATABASE_URL tokens token${key}`.split(' '), ...more]);
  for (const spy of spies) spy.mockRestore();
  return { code, ...said };
}

test('nothing is changed before all opens, and a person says which rows are plaintext, and which stay', async () => {
  const [json, alike, hash] = ['{"iv":"x"}', lookAlike + 'A'.repeat(300), 'f'.repeat(64)];
  const before = [
    ['a', encrypt('one')],
    ['b', json],
    ['c', alike],
    ['d', hash],
    ['e', encrypt('two')],
  ] as const;
  await fill(before);
  for (const more of [[], ['--plaintext'], ['--leave', 'b', '--as-plaintext', 'c']]) {
    const id = more.length > 1 ? 'd' : 'b';
    const { code, stderr } = await adopt('--yes', ...more);
    expect(stderr).toMatch(
      new RegExp(`^Nothing was changed: tokens.token of row ${id} has no known format, .*`),
    );
    expect(stderr).toMatch(new RegExp(`\`--as-plaintext ${id}\`.*\`--leave ${id}\``));
    expect([code, (await stored()).map(({ id, token }) => [id, token])]).toEqual([2, before]);
  }
  const records = defineFields({ tokens: { token: field.text() } }).for(new EaasClient());
  // Each further run finds what one leaves that was killed: some rows are converted.
  for (const old of [['e', encrypt('two')], ['a', encrypt('one')], []] as const) {
    const named = ['--as-plaintext', 'b', '--as-plaintext', 'c', '--leave', 'd'];
    expect(await adopt('--yes', ...named)).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('row d'),
    });
    const rows = await stored();
    const opened = await records.decryptRows('tokens', rows, ({ id }) => id, { settled: true });
    const texts = opened.map((row) => (row.ok ? row.value.token : undefined));
    expect([texts, rows[3]?.token]).toEqual([['one', json, alike, undefined, 'two'], hash]);
    if (old[0]) await sql`update tokens set token = ${old[1]} where id = ${old[0]}`;
  }
});

test('`--leave-unknown` leaves the rows that cannot be converted, lists them, and converts the others', async () => {
  const unknown = ['f'.repeat(64), lookAlike + 'A'.repeat(300)].flatMap((text) => Array(60).fill(text));
  await fill(
    [...unknown, encrypt('one')].map((token, at) => [`${at}`.padStart(3, '0'), String(token)] as const),
  );
  const before = await stored();
  const { code, stdout, stderr } = await adopt('--yes', '--leave-unknown');
  const ids = before.slice(0, -1).map(({ id }) => id);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`nothing old was left, except in row ${ids.join(', ')}: repair it`);
  const after = await stored();
  expect(after.slice(0, -1)).toEqual(before.slice(0, -1));
  expect(after.at(-1)?.token).toMatch(/^eaasA/);
});

test('an empty text as the id of a row is an error of one line, and the lines for the app are JavaScript', async () => {
  await fill([['', encrypt('one')]]);
  expect((await adopt('--yes')).stderr).toMatch(
    /^Nothing was changed: a row of tokens has an empty text as its id, .*\nHelp/,
  );
  await fill([['a', encrypt('one')]]);
  expect((await adopt('--yes')).stdout).toContain(
    "joined({ key: () => keyFromHex(process.env.OLD_KEY ?? ''), parts",
  );
});

test('two formats and plaintext are told by counts and ids, without a value, and nothing is done unasked', async () => {
  await fill([
    ['a', encrypt('one')],
    ['b', 'ghp_plain'],
    ['c', sign('two')],
    ['d', encrypt('three')],
  ]);
  const before = await stored();
  const { stdout, stderr } = await adopt('--plaintext');
  expect([stderr, await stored()]).toEqual([
    expect.stringContaining('pass `--yes` to convert without'),
    before,
  ]);
  expect(stdout).toMatch(
    /^token\n +2 {2}aes-256-gcm iv:tag:ciphertext in hex, under OLD_KEY \(rows a, d\)\n/,
  );
  expect(stdout).toMatch(
    / 1 {2}no known format: plaintext\? \(rows b\)\n +1 {2}aes-256-cbc-hmac .*\(rows c\)/,
  );
  expect(stdout + stderr).not.toMatch(/ghp_plain|[0-9a-f]{24}/);
  expect(await adopt('--plaintext', '--yes')).toMatchObject({ code: 0, stderr: '' });
  expect((await stored()).filter(({ token }) => !token.startsWith('eaasA'))).toEqual([]);
  expect((await adopt('--yes')).stdout).toContain('4  encrypted by Eaas');
});

const folder = await newDirectory();
/** Writes a module whose default export is the expression. */
async function moduleOf(name: string, expression: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `export default ${expression};`);
  return path;
}

test('what is only base64, hex or JSON is unknown, `--plaintext` refuses it, and a reader can say that it is plaintext', async () => {
  const encoded = ['Zm9vYmFy', 'deadbeef', '{"token":"one"}', 'ghp_16C7e42F', '\\x00ff'];
  await fill(encoded.map((text, at) => [`${at}`, text] as const));
  for (const more of [[], ['--plaintext']]) {
    const { code, stdout, stderr } = await adopt('--yes', ...more);
    expect(stdout).toBe('token\n        5  unknown: no old key opens it, and it can be a ciphertext\n');
    expect([code, stderr]).toEqual([2, expect.stringContaining('with `--reader`')]);
  }
  const reader = await moduleOf('plain.mjs', '(stored) => Buffer.from(stored)');
  expect(await adopt('--yes', '--reader', reader)).toMatchObject({ code: 0, stderr: '' });
  const records = defineFields({ tokens: { token: field.text() } }).for(new EaasClient());
  const opened = await records.decryptRows('tokens', await stored(), ({ id }) => id);
  expect(opened.map(({ token }) => token)).toEqual(encoded);
});

test('a reader may return bytes or a promise, does not get our ciphertexts, and knows what it returns', async () => {
  const reader = await moduleOf(
    'old.mjs',
    `async (stored) => {
      if (stored.startsWith('eaas')) throw (globalThis.gotCiphertext = true);
      const answers = { 'old:': Buffer.from(stored.slice(4)), none: undefined, same: stored };
      if (stored.startsWith('error')) throw new Error(stored);
      return answers[stored.slice(0, 4)] ?? null;
    }`,
  );
  const unknown = ['null !', 'none !', 'same !', 'error !'].map((text) => [text, text] as const);
  await fill([['0', 'old:one'], ['1', 'old:two'], ...unknown]);
  const refused = await adopt('--yes', '--reader', reader);
  expect(refused.stdout).toMatch(
    / 2 {2}the app's own format, under .*old.mjs \(rows 0, 1\)\n +4 {2}no known format/,
  );
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('row error ! has no known format'),
  ]);
  const { code, stdout, stderr } = await adopt('--yes', '--plaintext', '--reader', reader);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('plaintext((stored, row) => read(stored, row) ?? stored);');
  const records = defineFields({ tokens: { token: field.text() } }).for(new EaasClient());
  const rows = await stored();
  const opened = await records.decryptRows('tokens', rows, ({ id }) => id);
  expect(new Map(opened.map(({ id, token }) => [id, token]))).toEqual(
    new Map([['0', 'one'], ['1', 'two'], ...unknown]),
  );
  expect(await adopt('--yes', '--plaintext', '--reader', reader)).toMatchObject({ code: 0, stderr: '' });
  expect([await stored(), Reflect.get(globalThis, 'gotCiphertext')]).toEqual([rows, undefined]);
});

test('what a reader alone opens is printed as its import, and a reader and an old key are refused', async () => {
  await fill([['a', 'old:one']]);
  const reader = await moduleOf('alone.mjs', "(stored) => stored.replace('old:', '')");
  expect((await adopt('--yes', '--reader', reader)).stdout).toContain(
    `  import read from '${reader}'; // returns text, and null for what it does not know\n  const previous = plaintext(read, { write: encrypt });\n`,
  );
  const both = await adopt('--reader', await moduleOf('good.mjs', '() => null'), '--old-key', 'OLD_KEY');
  expect(both.stderr).toContain('pass `--old-key` or `--reader`');
});

test.each([
  ['missing.mjs', undefined, /cannot load .*missing.mjs \(Cannot find module .*correct it/],
  ['broken.mjs', '(', /cannot load .*broken.mjs \(.*correct it/],
  ['text.mjs', "'text'", /the default export of .*text.mjs must be \(stored, row\)/],
])('the module %s is refused as a reader, with what to do', async (name, expression, message) => {
  const path = expression === undefined ? join(folder, name) : await moduleOf(name, expression);
  await fill([['a', 'old:one']]);
  const { code, stderr } = await adopt('--yes', '--reader', path);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
});

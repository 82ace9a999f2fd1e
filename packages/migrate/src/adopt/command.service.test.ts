// The command in this process, on PostgreSQL: what it refuses, and what a person says of single rows.
import { createCipheriv, createHmac, randomBytes, scryptSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { runInNewContext } from 'node:vm';
import { EaasClient } from '@eaas/sdk';
import { defineFields, field } from '@eaas/sdk/fields';
import { closing } from '@eaas/test-kit/closing';
import { newDirectory } from '@eaas/test-kit/directory';
import { lookAlike } from '@eaas/test-kit/look-alike';
import { root } from '@eaas/test-kit/markdown';
import { openServiceAndTable } from '@eaas/test-kit/service-and-table';
import { describe, expect, test, vi } from 'vitest';
import { command, setVariables, variablesOf } from '../../test/in-process.ts';
import * as formats from '../formats/index.ts';

const service = await closing(openServiceAndTable(), (it) => it.close());
const { sql, connection, options } = service;
const { baseUrl: EAAS_BASE_URL, apiKey: EAAS_API_KEY } = options;
const { keyId: EAAS_KEY_ID } = await service.connect();
const client = { EAAS_BASE_URL, EAAS_API_KEY, EAAS_KEY_ID };
const OLD_KEY = '7f'.repeat(32);
const PASSPHRASE = 'a passphrase of the app';
const SALT = "the app's salt";
setVariables({ ...variablesOf(connection), ...client, OLD_KEY, PASSPHRASE, SALT });
// The query makes it a module of its own, with this key.
const { encrypt } = await import(`${root}examples/adopt/links.mjs?${connection.database}`);
const { encrypt: sign } = await import(`${root}examples/adopt/mailboxes.mjs?${connection.database}`);

await sql`create table tokens (id text primary key, token text)`;
const records = defineFields({ tokens: { token: field.text() } }).for(new EaasClient());
type Row = Readonly<Record<'id' | 'token', string>>;
const stored = async () => [...(await sql<Row[]>`select * from tokens order by id`)];

/** The texts of all rows, or undefined for what is no ciphertext of the service. */
async function opened() {
  const rows = await records.decryptRows('tokens', await stored(), ({ id }) => id, { settled: true });
  return rows.map((row) => (row.ok ? row.value.token : undefined));
}

/** Gives the table these rows, whose ids are 100, 101 and so on. */
async function fill(tokens: readonly string[]): Promise<void> {
  await sql`delete from tokens`;
  await sql`insert into tokens ${sql(tokens.map((token, at) => ({ id: String(100 + at), token })))}`;
}

function adopt(...more: string[]) {
  const key = more.includes('--reader') ? [] : ['--old-key', 'OLD_KEY'];
  return command('adopt', 'DATABASE_URL', 'tokens', 'token', ...key, ...more);
}

/** Lets the next run read a value of the row from standard input, and returns the options that name it. */
function expecting(id: number, value: string): string[] {
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([value]) as typeof process.stdin);
  return ['--iv-first', '--expect', String(id)];
}

/** What a run prints that leaves nothing to do. */
async function adopted(...more: string[]): Promise<string> {
  const { code, stdout, stderr } = await adopt('--yes', ...more);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

test('nothing is changed before all opens, and a person says which rows are plaintext, and which stay', async () => {
  const [json, alike, hash] = ['{"iv":"x"}', lookAlike + 'A'.repeat(300), 'f'.repeat(64)];
  await fill([encrypt('one'), json, alike, hash, encrypt('two')]);
  const before = await stored();
  for (const more of [[], ['--plaintext'], ['--leave', '101', '--as-plaintext', '102']]) {
    const id = more.length > 1 ? '103' : '101';
    const { code, stderr } = await adopt('--yes', ...more);
    const reason = `^Nothing was changed: tokens.token of row ${id} has no known format, `;
    expect(stderr).toMatch(new RegExp(`${reason}.*\`--as-plaintext ${id}\`.*\`--leave ${id}\``));
    expect([code, await stored()]).toEqual([2, before]);
  }
  // Each further run finds what one leaves that was killed: some rows are converted.
  for (const old of [before[4], before[0], undefined]) {
    const stdout = await adopted('--as-plaintext', '101', '--as-plaintext', '102', '--leave', '103');
    expect(stdout).toContain('row 103');
    expect(await opened()).toEqual(['one', json, alike, undefined, 'two']);
    expect((await stored())[3]?.token).toBe(hash);
    if (old) await sql`update tokens set token = ${old.token} where id = ${old.id}`;
  }
});

test('`--leave-unknown` leaves the rows that cannot be converted, lists them, and converts the others', async () => {
  const forms = ['f'.repeat(64), lookAlike + 'A'.repeat(300)];
  const unknown = forms.flatMap((text) => Array<string>(60).fill(text));
  await fill([...unknown, encrypt('one')]);
  const before = (await stored()).slice(0, -1);
  const ids = before.map(({ id }) => id).join(', ');
  expect(await adopted('--leave-unknown')).toContain(`nothing old was left, except in row ${ids}: repair it`);
  const after = await stored();
  expect(after).toMatchObject([...before, { token: expect.stringMatching(/^eaasA/) }]);
});

test('a passphrase opens with the salt that `--salt` names, and without it nothing is changed', async () => {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', scryptSync(PASSPHRASE, SALT, 32), iv);
  const sealed = Buffer.concat([cipher.update('one'), cipher.final()]);
  await fill([[iv, cipher.getAuthTag(), sealed].map((bytes) => bytes.toString('hex')).join(':')]);
  const before = await stored();
  const run = (...more: string[]) =>
    command('adopt', 'DATABASE_URL', 'tokens', 'token', '--old-key', 'PASSPHRASE', '--yes', ...more);

  expect(await run()).toMatchObject({ code: 2, stderr: expect.stringMatching(/^Nothing was changed/) });
  expect(await stored()).toEqual(before);
  expect(await run('--salt', 'SALT')).toMatchObject({ code: 0, stderr: '' });
  expect(await opened()).toEqual(['one']);
});

test('an empty text as the id of a row is an error of one line', async () => {
  await fill([encrypt('one')]);
  await sql`update tokens set id = ''`;
  const { stderr } = await adopt('--yes');
  expect(stderr).toMatch(/^Nothing was changed: a row of tokens has an empty text as its id, .*\nHelp/);
});

test('two formats and plaintext are told by counts and ids, without a value, and nothing is done unasked', async () => {
  await fill([encrypt('one'), 'ghp_plain', sign('two'), encrypt('three')]);
  const before = await stored();
  const { stdout, stderr } = await adopt('--plaintext', ...expecting(102, 'two'));
  expect(await stored()).toEqual(before);
  expect(stderr).toContain('pass `--yes` to convert without');
  expect(stdout).toMatch(/^token\n +2 {2}aes-256-gcm iv:tag:ciphertext .*under OLD_KEY \(rows 100, 103\)\n/);
  expect(stdout).toMatch(/ 1 {2}no known format: plaintext\? \(rows 101\)\n +1 {2}.*cbc-hmac .*\(rows 102\)/);
  expect(stdout + stderr).not.toMatch(/ghp_plain|[0-9a-f]{24}/);
  await adopted('--plaintext', ...expecting(102, 'two\n'));
  expect(await opened()).toEqual(['one', 'ghp_plain', 'two', 'three']);
  expect(await adopted()).toContain('4  encrypted by Eaas');
});

test('AES-CBC alone is believed after 32 values, and the lines that it prints read the values', async () => {
  const alone = (text: string) => {
    const iv = randomBytes(16);
    const cipher = createCipheriv('aes-256-cbc', Buffer.from(OLD_KEY, 'hex'), iv);
    return `${iv.toString('hex')}:${cipher.update(text, 'utf8', 'hex')}${cipher.final('hex')}`;
  };
  const values = Array.from({ length: 32 }, (_, at) => alone(`token ${at}`));
  await fill(values.slice(1));
  const few = await adopt('--yes');
  const unproven = /31 {2}unknown: OLD_KEY opens all 31 as aes-256-cbc .*, so only 32 values .*`--reader`/;
  expect(few.stdout).toMatch(unproven);
  expect(few.stderr).toContain('Nothing was changed: tokens.token of row 100');
  await fill([encrypt('sealed'), ...values]);
  const stdout = await adopted();
  expect(stdout).toMatch(/32 {2}aes-256-cbc iv:ciphertext in hex.*: not authenticated/);
  const [, printed = ''] = /previous = plaintext\(([^]*?), \{ write: encrypt \}\);\n/.exec(stdout) ?? [];
  const read = runInNewContext(printed, { ...formats, process }) as formats.Reader;
  expect([read(alone('one')), read(encrypt('two'))]).toEqual(['one', 'two']);
  // What a killed run leaves. As texts, the ids of the old rows, 968 to 999, come last.
  const rows = Array<string>(1_032).fill((await stored())[0]?.token ?? '');
  await fill(rows.map((token, at) => values[at - 868] ?? token));
  expect((await adopt()).stdout).toMatch(/ 1,000 {2}encrypted by Eaas[^]* 32 {2}aes-256-cbc/);
});

describe('AES-CBC in one run of bytes', () => {
  const key = Buffer.from(OLD_KEY, 'hex');
  const values = Array.from({ length: 40 }, (_, at) => `sk-proj-${at}-${'ixsGYpW5'.repeat(3)}`);
  const cbc = (value: string, iv: Buffer): Buffer => {
    const cipher = createCipheriv('aes-256-cbc', key, iv);
    return Buffer.concat([cipher.update(value), cipher.final()]);
  };
  const signed = (iv: Buffer, ciphertext: Buffer, isIvSigned: boolean): Buffer =>
    createHmac('sha256', key)
      .update(isIvSigned ? Buffer.concat([iv, ciphertext]) : ciphertext)
      .digest();
  const ivs = values.map(() => randomBytes(16));
  const ivOf = (at: number): Buffer => ivs[at] ?? Buffer.alloc(16);
  const fixed = Buffer.alloc(16, 7);
  const proof =
    /^Nothing was changed: OLD_KEY opens tokens\.token as .*, if each value begins with its iv.*`--reader`/;

  test.each<[string, readonly string[]]>([
    ['a fixed iv, in hex', values.map((value) => cbc(value, fixed).toString('hex'))],
    ['no iv but zeros, in base64', values.map((value) => cbc(value, Buffer.alloc(16)).toString('base64'))],
    ['an iv of its own elsewhere', values.map((value, at) => cbc(value, ivOf(at)).toString('base64url'))],
    [
      'an HMAC over the ciphertext alone',
      values.map((value, at) => {
        const ciphertext = cbc(value, ivOf(at));
        return Buffer.concat([ciphertext, signed(ivOf(at), ciphertext, false)]).toString('base64');
      }),
    ],
  ])('%s: no value loses its first 16 bytes, with or without an expected value', async (_, tokens) => {
    await fill(tokens);
    const before = await stored();

    const unproven = await adopt('--yes');
    expect([unproven.code, unproven.stderr]).toEqual([2, expect.stringMatching(proof)]);
    expect(unproven.stdout).toMatch(/^token\n +40 {2}unknown: /);

    const value = values[5] ?? '';
    const disproved = await adopt('--yes', ...expecting(105, value));
    expect([disproved.code, disproved.stderr]).toEqual([
      2,
      expect.stringContaining('row 105 does not open as'),
    ]);
    expect(disproved.stdout + disproved.stderr).not.toContain('sk-proj');
    expect(await stored()).toEqual(before);
  });

  test.each<[string, string, (iv: Buffer) => unknown]>([
    ['hex', 'text', (iv) => iv.toString('hex')],
    ['base64', 'text', (iv) => iv.toString('base64')],
    ['bytes', 'bytea', (iv) => iv],
  ])('a column with 16 bytes in each row, as %s, is named', async (_, type, written) => {
    await fill(values.map((value, at) => cbc(value, ivOf(at)).toString('hex')));
    await sql.unsafe(`alter table tokens add "Its IV" ${type}, add note text default 'sixteen letters.'`);
    for (const at of values.keys()) {
      await sql`update tokens set "Its IV" = ${written(ivOf(at)) as string} where id = ${String(100 + at)}`;
    }

    const { code, stderr } = await adopt('--yes');
    await sql`alter table tokens drop "Its IV", drop note`;

    expect([code, stderr]).toEqual([2, expect.stringMatching(proof)]);
    expect(stderr).toContain('in `Its IV`, which has 16 bytes in each row');
    expect(stderr).toContain('`--columns Its IV`');
  });

  test.each<[string, (value: string, iv: Buffer) => Buffer]>([
    ['iv and ciphertext', (value, iv) => Buffer.concat([iv, cbc(value, iv)])],
    [
      'HMAC, iv and ciphertext',
      (value, iv) => Buffer.concat([signed(iv, cbc(value, iv), true), iv, cbc(value, iv)]),
    ],
  ])('%s are converted if one known value proves the format, also if they are few', async (_, seal) => {
    const few = values.slice(0, 5);
    await fill(few.map((value, at) => seal(value, ivOf(at)).toString('hex')));

    expect((await adopt('--yes')).stderr).toMatch(proof);
    const stdout = await adopted(...expecting(103, `${few[3]}\n`));

    expect(stdout).toMatch(/^token\n +5 {2}aes-256-cbc/);
    expect(await opened()).toEqual(few);
  });

  test('one iv for all values is not believed, although a known value opens', async () => {
    await fill(values.map((value) => Buffer.concat([fixed, cbc(value, fixed)]).toString('hex')));
    const before = await stored();

    const { code, stderr } = await adopt('--yes', ...expecting(103, values[3] ?? ''));

    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('all 40 values of token begin with the same 16 bytes'),
    ]);
    expect(await stored()).toEqual(before);
  });

  test.each<[string, readonly string[], string, RegExp]>([
    ['a row that is not there', ['--iv-first', '--expect', '999'], 'x', /names no row with a value in token/],
    ['an empty line', ['--iv-first', '--expect', '100'], '\n', /found no value on standard input/],
    ['`--iv-first` alone', ['--iv-first'], '', /pass `--iv-first` and `--expect <id>` together/],
    ['`--expect` alone', ['--expect', '100'], 'x', /pass `--iv-first` and `--expect <id>` together/],
  ])('%s proves nothing', async (_, options, value, reason) => {
    await fill(values.map((each, at) => Buffer.concat([ivOf(at), cbc(each, ivOf(at))]).toString('hex')));
    expecting(100, value);

    const { code, stderr } = await adopt('--yes', ...options);

    expect([code, stderr]).toEqual([2, expect.stringMatching(reason)]);
  });

  test('a row that an earlier run has converted proves nothing, and another does', async () => {
    await fill(values.map((value, at) => Buffer.concat([ivOf(at), cbc(value, ivOf(at))]).toString('hex')));
    const before = await stored();
    await adopted(...expecting(100, values[0] ?? ''));
    await sql`update tokens set token = ${before[39]?.token ?? ''} where id = '139'`;

    const { code, stderr } = await adopt('--yes', ...expecting(100, values[0] ?? ''));
    expect([code, stderr]).toEqual([2, expect.stringContaining('is encrypted by Eaas already: name a row')]);

    await adopted(...expecting(139, values[39] ?? ''));
    expect(await opened()).toEqual(values);
  });
});

test('a column without room for the longest value is refused before the first row, with the length that it needs', async () => {
  const long = 'x'.repeat(90);
  await fill([encrypt('short'), encrypt(long)]);
  await sql`alter table tokens alter token type varchar(255)`;
  const before = await stored();

  const { code, stderr } = await adopt('--yes');
  const after = await stored();
  await sql`alter table tokens alter token type text`;

  expect([code, after]).toEqual([2, before]);
  const needed = 4 * Math.ceil((164 + long.length) / 3);
  expect(stderr).toContain(
    `row 101 needs ${needed} characters in tokens.token, which is character varying(255): change its type to text`,
  );
  expect(await adopted()).toContain('nothing old was left');
});

test('a text column of PostgreSQL has room for a ciphertext of any length', async () => {
  const long = 'x'.repeat(60_000);
  await fill([encrypt(long)]);
  await adopted();
  expect(await opened()).toEqual([long]);
});

test('the value after `--expect` proves one column, and no reader of the app needs it', async () => {
  await fill([encrypt('one')]);
  const two = await command(
    'adopt',
    'DATABASE_URL',
    'tokens',
    'token',
    'id',
    '--old-key',
    'OLD_KEY',
    ...expecting(100, 'one'),
  );
  expect(two.stderr).toContain('adopt one column at a time');
  const reader = await moduleOf('unneeded.mjs', '() => null');
  expect((await adopt('--reader', reader, ...expecting(100, 'one'))).stderr).toContain(
    '`--iv-first` or `--reader`',
  );
});

const folder = await newDirectory();
/** Writes a module whose default export is the expression. */
async function moduleOf(name: string, expression: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `export default ${expression};`);
  return path;
}

test('without an ORM, it says that inserts need an id, and what makes the database refuse plaintext', async () => {
  const load = `await import('${root}node_modules/drizzle-orm/pg-core/index.js')`;
  const table = `(({ pgTable, text }) => pgTable('tokens', { id: text().primaryKey(), token: text() }))`;
  await fill([encrypt('one')]);
  const line = `${await moduleOf('schema.mjs', `${table}(${load})`)} tokens token --old-key OLD_KEY --yes`;
  const byDrizzle = await command('adopt', ...line.split(' '));
  expect([byDrizzle.code, byDrizzle.stdout]).toEqual([0, expect.not.stringMatching(/the insert|add check/)]);
  expect(await adopted()).toMatch(/get it before the insert\.\n  const records[^]*add check/);
});

test('what is only base64, hex or JSON is unknown, `--plaintext` refuses it, and a reader can say that it is plaintext', async () => {
  const encoded = ['Zm9vYmFy', 'deadbeef', '{"token":"one"}', 'ghp_16C7e42F', '\\x00ff'];
  await fill(encoded);
  for (const more of [[], ['--plaintext']]) {
    const { code, stdout, stderr } = await adopt('--yes', ...more);
    expect(stdout).toBe('token\n        5  unknown: no old key opens it, and it can be a ciphertext\n');
    expect([code, stderr]).toEqual([2, expect.stringContaining('with `--reader`')]);
  }
  await adopted('--reader', await moduleOf('plain.mjs', '(stored) => Buffer.from(stored)'));
  expect(await opened()).toEqual(encoded);
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
  const unknown = ['null !', 'none !', 'same !', 'error !'];
  await fill(['old:one', 'old:two', ...unknown]);
  const refused = await adopt('--yes', '--reader', reader);
  const survey = / 2 {2}the app's own format, under .*old.mjs \(rows 100, 101\)\n +4 {2}no known format/;
  expect(refused).toMatchObject({ code: 2, stdout: expect.stringMatching(survey) });
  expect(refused.stderr).toContain('row 102 has no known format');
  expect(await adopted('--plaintext', '--reader', reader)).toContain(
    `  import read from '${reader}'; // returns text, and null for what it does not know\n` +
      '  const previous = plaintext((stored, row) => read(stored, row) ?? stored, { write: encrypt });\n',
  );
  expect(await opened()).toEqual(['one', 'two', ...unknown]);
  const converted = await stored();
  await adopted('--plaintext', '--reader', reader);
  expect([await stored(), Reflect.get(globalThis, 'gotCiphertext')]).toEqual([converted, undefined]);
});

const reading = 'DATABASE_URL tokens token --reader';
const none = await moduleOf('none.mjs', '() => null');
const broken = await moduleOf('broken.mjs', '(');
const text = await moduleOf('text.mjs', "'text'");

test.each<[string, RegExp, object?]>([
  ['DATABASE_URL nowhere token', /the database has no table "nowhere"/],
  ['DATABASE_URL tokens tokn', /did you mean `token`\?/],
  ['DATABASE_URL tokens', /pass `adopt <place> <table> <column> …/],
  ['UNSET tokens token', /the database must be postgres:\/\/…/],
  [`${root}examples/adopt/links.mjs tokens token`, /names no table `tokens` in the database \(it has none\)/],
  ['DATABASE_URL tokens token', /: set EAAS_LOCAL, .* or EAAS_BASE_URL, EAAS_API_KEY/, { EAAS_API_KEY: '' }],
  ['DATABASE_URL tokens token --old-key UNSET', /the old key or salt must be a non-empty text/],
  ['DATABASE_URL tokens token --plaintext --old-key OLD_KEY', /no old key opens token/],
  ['DATABASE_URL tokens token --pace 1', /Unknown option '--pace'/],
  [`${reading} ${none} --old-key OLD_KEY`, /pass `--old-key` or `--reader`/],
  [`${reading} ${broken}`, /cannot load .*broken.mjs \(.*correct it/],
  [`${reading} ${text}`, /the default export of .*text.mjs must be \(stored, row\)/],
])('%s is refused, with what to do', async (line, reason, variables = {}) => {
  await fill(['ghp 16C7e42F']);
  for (const [name, value] of Object.entries({ ...client, ...variables })) vi.stubEnv(name, value);
  expect(await command('adopt', ...line.split(' '))).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(reason),
  });
});

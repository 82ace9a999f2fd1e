// What 24 open-source products store, as each of them writes it: `adopt` recognises the format, or calls it unknown, and then reads
// it by the app's own function. Nothing is encrypted twice.
import { type CipherGCM, createCipheriv, createHash, hkdfSync, randomBytes, scryptSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { managedNonce } from '@noble/ciphers/utils.js';
import * as formats from '@eaas/migrate/formats';
import { defineFields, field } from '@eaas/sdk/fields';
import { newDirectory } from '@eaas/test-kit/directory';
import { root } from '@eaas/test-kit/markdown';
import { requireTools } from '@eaas/test-kit/tools';
import { expect, test } from 'vitest';
import { adopt as adoptWith, eaas, sql } from './adopting.ts';

const load = createRequire(join(await requireTools('packages/migrate/test'), 'products.cjs'));
const { AES } = load('crypto-js') as { AES: { encrypt: (...all: string[]) => { toString: () => string } } };

const hex = randomBytes(32).toString('hex');
const [bytes, half, words] = [Buffer.from(hex, 'hex'), hex.slice(0, 32), 'correct horse battery'];
const sha256 = () => createHash('sha256').update(words);
const sha512 = () => createHash('sha512').update(words);
type Encoding = 'hex' | 'base64';
type Parts = Readonly<Record<'i' | 'b' | 't', Buffer>>;

/** The iv, the body and the tag of a text that node:crypto encrypts. */
function gcm(
  text: string,
  key: string | Buffer,
  ivLength = 12,
  authTagLength = 16,
  cipher = 'aes-256-gcm',
): Parts {
  const iv = randomBytes(ivLength);
  const sealing = createCipheriv(cipher, key, iv, { authTagLength } as object) as CipherGCM;
  const body = Buffer.concat([sealing.update(text), sealing.final()]);
  return { i: iv, b: body, t: cipher.endsWith('gcm') ? sealing.getAuthTag() : Buffer.of() };
}
const cbc = (text: string, key: string | Buffer) => gcm(text, key, 16, 16, 'aes-256-cbc');
const ctr = (text: string, key: string) => gcm(text, key.slice(0, 32), 16, 16, 'aes-256-ctr');

/** Writes the parts of a layout, such as `i:bt`. */
const write = (parts: Parts, layout: string, encoding: Encoding = 'hex') =>
  layout
    .split(':')
    .map((run) => Buffer.concat(Array.from(run, (part) => parts[part as 'i'])).toString(encoding))
    .join(':');

function n8n(text: string): string {
  const salt = randomBytes(32);
  const derived = Buffer.from(hkdfSync('sha256', bytes, salt, 'n8n-encryption-v1', 44));
  const cipher = createCipheriv('aes-256-gcm', derived.subarray(0, 32), derived.subarray(32));
  const body = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([Buffer.of(1), salt, cipher.getAuthTag(), body]).toString('base64');
}
const documenso = (text: string) =>
  Buffer.from(managedNonce(xchacha20poly1305)(sha256().digest()).encrypt(Buffer.from(text))).toString('hex');
const inboxZero = (text: string) => `v1:${write(gcm(text, scryptSync(words, "Ada's salt", 32), 16), 'itb')}`;

/** A product, the text of its key, how it stores a value, and what `adopt` calls that. */
type Known = readonly [product: string, key: string, store: (text: string) => string, format: string];

const known: readonly Known[] = [
  ['langfuse', hex, (text) => write(gcm(text, bytes), 'i:b:t'), 'aes-256-gcm iv:ciphertext:tag in hex'],
  ['formbricks', half, (text) => write(gcm(text, half, 16), 'i:b:t'), 'aes-256-gcm iv:ciphertext:tag in hex'],
  ['sim', hex, (text) => write(gcm(text, bytes, 16), 'i:b:t'), 'aes-256-gcm iv:ciphertext:tag in hex'],
  ['LobeChat', bytes.toString('base64'), (text) => write(gcm(text, bytes), 'i:t:b'), 'aes-256-gcm iv:tag:'],
  ['midday', hex, (text) => write(gcm(text, bytes, 16), 'itb', 'base64'), 'aes-256-gcm iv‖tag‖ciphertext'],
  ['Inbox Zero', words, inboxZero, 'aes-256-gcm v1:iv‖tag‖ciphertext in hex'],
  ['Strapi', words, (text) => `v1:${write(gcm(text, sha256().digest(), 16), 'i:b:t')}`, 'aes-256-gcm v1:'],
  ['documenso', words, documenso, 'Better Auth'],
  ['cal.com', half, (text) => write(cbc(text, Buffer.from(half, 'latin1')), 'i:b'), 'aes-256-cbc iv:'],
  ['Hoppscotch', half, (text) => write(cbc(text, half), 'i:b'), 'aes-256-cbc iv:ciphertext in hex'],
  ['Postiz', words, (text) => write(cbc(text, scryptSync(words, 'salt', 32)), 'i:b'), 'aes-256-cbc iv:'],
  ['n8n', words, (text) => AES.encrypt(text, words).toString(), 'OpenSSL'],
  ['Flowise', hex, (text) => AES.encrypt(text, hex).toString(), 'OpenSSL'],
  ['n8n, GCM', hex, n8n, 'n8n'],
  [
    'AFFiNE',
    words,
    (text) => write(gcm(text, sha256().digest(), 12, 12), 'itb', 'base64'),
    'aes-256-gcm iv‖',
  ],
  ['Twenty', words, (text) => write(ctr(text, sha512().digest('hex')), 'ib', 'base64'), 'aes-256-ctr iv‖'],
  ['Papermark', words, (text) => write(ctr(text, sha256().digest('base64')), 'i:b'), 'aes-256-ctr iv:'],
  ['Payload', words, (text) => write(ctr(text, sha256().digest('hex')), 'ib'), 'aes-256-ctr iv‖ciphertext'],
];

const texts = Array.from({ length: 40 }, (_, at) => `token ${at}`);
type Row = Readonly<Record<string, unknown>>;

async function fill(rows: readonly Row[], type = 'text'): Promise<void> {
  await sql`drop table if exists secrets`;
  await sql.unsafe(`create table secrets (id int primary key, value ${type}, iv text, tag text)`);
  for (const [id, row] of rows.entries()) await sql`insert into secrets ${sql({ id, ...row })}`;
}
const stored = async () => [
  ...(await sql<{ id: number; value: string }[]>`select * from secrets order by id`),
];

const variables = (key: string) => ({ OLD: key, SALT: "Ada's salt" });
const adopt = (key: string, more: readonly string[]) =>
  adoptWith(['DATABASE_URL', 'secrets', 'value', '--yes', ...more], root, variables(key));

/** Expects that all texts are encrypted, and that a further run changes nothing. */
async function expectConverted(key: string, more: readonly string[]): Promise<void> {
  const rows = await stored();
  const records = defineFields({ secrets: { value: field.text() } }).for(eaas);
  const opened = await records.decryptRows('secrets', rows, ({ id }) => id);
  expect(opened.map(({ value }) => value)).toEqual(texts);
  expect(await adopt(key, more)).toMatchObject({ code: 0, stderr: '' });
  expect(await stored()).toEqual(rows);
}

test.each(known)(
  '%s is recognised, and the lines for the app read it',
  async (product, key, store, format) => {
    await fill(texts.map((text) => ({ value: store(text) })));
    const more = ['--old-key', 'OLD', ...(product === 'Inbox Zero' ? ['--salt', 'SALT'] : [])];
    const { code, stdout, stderr } = await adopt(key, more);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')[1]).toContain(`  40  ${format}`);
    const [, printed = ''] =
      /const previous = plaintext\(([^]*?)(?:, \{ write: encrypt \})?\);\n/.exec(stdout) ?? [];
    expect(runInNewContext(printed, { ...formats, process: { env: variables(key) } })(store('another'))).toBe(
      'another',
    );
    await expectConverted(key, more);
  },
);

const info = Buffer.concat([Buffer.alloc(32, 0xb4), Buffer.from('value_ciphertext')]);
const toolJet = Buffer.from(hkdfSync('sha384', bytes, 'secrets', info, 32));
const jsonOf = ({ i, b, t }: Parts, ...names: string[]) =>
  Object.fromEntries(names.map((name, at) => [name, [i, b, t][at]?.toString('hex')]));

const toToolJet = (text: string) => ({ value: write(gcm(text, toolJet), 'ibt', 'base64') });
function toTypebot(text: string): Row {
  const parts = gcm(text, half);
  return { value: write(parts, 'bt', 'base64'), iv: write(parts, 'i') };
}
function toBoxyHQ(text: string): Row {
  const [value, iv, tag] = write(gcm(text, half, 16), 'b:i:t', 'base64').split(':');
  return { value, iv, tag };
}
const toTrigger = (text: string) => ({ value: jsonOf(gcm(text, half), 'nonce', 'ciphertext', 'tag') });
const toActivepieces = (text: string) => ({ value: jsonOf(cbc(text, half), 'iv', 'data') });
const inOutline = (text: string) => write(cbc(JSON.stringify(text), bytes), 'ib');
const toOutline = (text: string) => ({ value: Buffer.from(inOutline(text), 'hex') });

/** A product, its key, the type of its column, the row that it stores, and what its own function returns, as code. */
type Own = readonly [product: string, key: string, type: string, store: (text: string) => Row, read: string];

const own: readonly Own[] = [
  ['ToolJet', hex, 'text', toToolJet, 'open(gcm, derived(), part(0, 12), part(12, -16), part(-16))'],
  ['typebot', half, 'text', toTypebot, "open(gcm, key(), iv('hex'), part(0, -16), part(-16))"],
  ['BoxyHQ', half, 'text', toBoxyHQ, "open(gcm, key(), iv('base64'), part(0), tag('base64'))"],
  ['trigger.dev', half, 'jsonb', toTrigger, "open(gcm, key(), ...members('nonce', 'ciphertext', 'tag'))"],
  ['Activepieces', half, 'jsonb', toActivepieces, "open(cbc, key(), ...members('iv', 'data'))"],
  ['Outline', hex, 'bytea', toOutline, "JSON.parse(open(cbc, key('hex'), byte(0, 16), byte(16)))"],
];

test.each(own)('%s is unknown, and its own function reads it', async (product, key, type, store, read) => {
  const rows = texts.map((text) => store(text));
  await fill(rows, type);
  const refusal = type === 'text' ? 'with `--reader`' : `is ${type}, and a ciphertext is a text`;
  expect((await adopt(key, ['--old-key', 'OLD'])).stderr).toContain(refusal);
  await sql`alter table secrets alter column value type text`;
  const before = await stored();
  const refused = await adopt(key, ['--old-key', 'OLD', '--plaintext']);
  expect(refused.stdout).toBe('value\n       40  unknown: no old key opens it, and it can be a ciphertext\n');
  expect([refused.code, await stored()]).toEqual([2, before]);
  const reader = join(await newDirectory(), 'old.mjs');
  await writeFile(
    reader,
    `import { createDecipheriv, hkdfSync } from 'node:crypto';
    const [gcm, cbc, key] = ['aes-256-gcm', 'aes-256-cbc', (encoding) => Buffer.from(process.env.OLD, encoding)];
    function open(cipher, key, iv, body, tag) {
      const opening = createDecipheriv(cipher, key, iv);
      if (tag) opening.setAuthTag(tag);
      return Buffer.concat([opening.update(body), opening.final()]).toString();
    }
    export default (stored, row) => {
      const info = Buffer.from('${info.toString('hex')}', 'hex');
      const derived = () => Buffer.from(hkdfSync('sha384', key('hex'), 'secrets', info, 32));
      const [iv, tag] = [row.iv, row.tag].map((text) => (encoding) => Buffer.from(text, encoding));
      const part = (from, to) => Buffer.from(stored, 'base64').subarray(from, to);
      const byte = (from, to) => Buffer.from(stored.slice(2), 'hex').subarray(from, to);
      const members = (...names) => names.map((name) => Buffer.from(JSON.parse(stored)[name], 'hex'));
      return ${read};
    };`,
  );
  const more = ['--reader', reader, '--columns', 'iv,tag'];
  const lines = expect.stringContaining("plaintext(read, { columns: ['iv', 'tag'] })");
  expect(await adopt(key, more)).toMatchObject({ code: 0, stderr: '', stdout: lines });
  await expectConverted(key, more);
});

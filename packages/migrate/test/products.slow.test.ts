// What open-source products and libraries store, as each of them writes it: `adopt` recognises the format, or calls it unknown, and
// then reads it by the app's own function. Nothing is encrypted twice. recognise.test.ts has every shape that is written by hand.
import { type CipherGCM, createCipheriv, createHash, hkdfSync, randomBytes, scryptSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';
import * as formats from '@eaas/migrate/formats';
import { newDirectory } from '@eaas/test-kit/directory';
import { root } from '@eaas/test-kit/markdown';
import { requireTools } from '@eaas/test-kit/tools';
import { expect, test } from 'vitest';
import { adopt, adopted, fill, opened, type Row, sql, stored } from './adopting.ts';

const load = createRequire(join(await requireTools('packages/migrate/test'), 'products.cjs'));
const { AES } = load('crypto-js');
const { encryptStringSync: cloaked } = load('@47ng/cloak');
const { Secret, Token } = load('fernet');
const { EncryptionTransformer } = load('typeorm-encrypted');
const betterAuth = await import(pathToFileURL(load.resolve('better-auth/crypto')).href);

const hex = randomBytes(32).toString('hex');
const [bytes, half, words] = [Buffer.from(hex, 'hex'), hex.slice(0, 32), 'correct horse battery'];
const inUrl = `${bytes.toString('base64url')}=`;
const cloakKey = `k1.aesgcm256.${inUrl}`;
const sha256 = createHash('sha256').update(words).digest();
const sha512 = createHash('sha512').update(words).digest();
type Parts = Readonly<Record<'i' | 'b' | 't', Buffer>>;

/** The iv, the body and the tag of a text that node:crypto encrypts. */
function gcm(text: string, key: string | Buffer, ivLength = 12, tagLength = 16, cipher = 'aes-256-gcm') {
  const iv = randomBytes(ivLength);
  const sealing = createCipheriv(cipher, key, iv, { authTagLength: tagLength } as object) as CipherGCM;
  const body = Buffer.concat([sealing.update(text), sealing.final()]);
  return { i: iv, b: body, t: cipher.endsWith('gcm') ? sealing.getAuthTag() : Buffer.of() };
}
const cbc = (text: string, key: string | Buffer) => gcm(text, key, 16, 16, 'aes-256-cbc');
const ctr = (text: string, key: string) => gcm(text, key.slice(0, 32), 16, 16, 'aes-256-ctr');

/** Writes the parts of a layout, such as `i:bt`. */
const write = (parts: Parts, layout: string, encoding: 'hex' | 'base64' = 'hex') =>
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
const affine = (text: string) => write(gcm(text, sha256, 12, 12), 'itb', 'base64');

/** A product or library, the text of its key, how it stores a value, and what `adopt` calls that. */
type Known = readonly [name: string, key: string, store: Store, format: string];
type Store = (text: string) => string | Promise<string>;

function typeorm(algorithm: 'aes-256-gcm' | 'aes-256-cbc', ivLength: number, format: string): Known {
  const column = new EncryptionTransformer({ key: hex, algorithm, ivLength });
  return [`typeorm-encrypted, ${algorithm}, ${ivLength}`, hex, (text) => column.to(text), algorithm + format];
}
const versioned = { keys: new Map([[2, words]]), currentVersion: 2, legacySecret: half };

const known: readonly Known[] = [
  ['langfuse', hex, (text) => write(gcm(text, bytes), 'i:b:t'), 'aes-256-gcm iv:ciphertext:tag in hex'],
  ['cal.com', half, (text) => write(cbc(text, Buffer.from(half, 'latin1')), 'i:b'), 'aes-256-cbc iv:'],
  ['Postiz', words, (text) => write(cbc(text, scryptSync(words, 'salt', 32)), 'i:b'), 'aes-256-cbc iv:'],
  ['n8n', words, (text) => AES.encrypt(text, words).toString(), 'OpenSSL'],
  ['n8n, GCM', hex, n8n, 'n8n'],
  ['AFFiNE', words, affine, 'aes-256-gcm iv‖'],
  ['Twenty', words, (text) => write(ctr(text, sha512.toString('hex')), 'ib', 'base64'), 'aes-256-ctr iv‖'],
  ['Papermark', words, (text) => write(ctr(text, sha256.toString('base64')), 'i:b'), 'aes-256-ctr iv:'],
  ['Payload', words, (text) => write(ctr(text, sha256.toString('hex')), 'ib'), 'aes-256-ctr iv‖ciphertext'],
  ['Better Auth', words, (data) => betterAuth.symmetricEncrypt({ key: words, data }), 'Better Auth'],
  [
    'Better Auth, $ba$',
    words,
    (data) => betterAuth.symmetricEncrypt({ key: versioned, data }),
    'Better Auth',
  ],
  ['@47ng/cloak', cloakKey, (text) => cloaked(text, cloakKey), '@47ng/cloak'],
  ['fernet', inUrl, (text) => new Token({ secret: new Secret(inUrl) }).encode(text), 'Fernet'],
  typeorm('aes-256-gcm', 16, ' iv‖tag‖ciphertext in base64'),
  typeorm('aes-256-gcm', 12, ' iv‖tag‖ciphertext in base64'),
  typeorm('aes-256-cbc', 16, ' iv‖ciphertext in base64'),
];

const texts = Array.from({ length: 40 }, (_, at) => `token ${at} 🔑`);
const variables = (key: string) => ({ OLD: key });
const place = ['DATABASE_URL', 'secrets', 'token', '--yes'];

/** What shows that the values of a run of CBC begin with their iv: the text of the first row. */
const proof = ['--iv-first', '--expect', '1'];

/** Runs the command, which encrypts all texts, and changes nothing in a further run. Returns what it prints. */
async function convert(key: string, more: readonly string[], shown: readonly string[] = []): Promise<string> {
  const run = (...args: readonly string[]) =>
    adopted([...place, ...more, ...args], root, variables(key), texts[0]);
  const stdout = await run(...shown);
  const rows = await stored('secrets');
  expect(await opened('secrets')).toEqual(texts);
  await run();
  expect(await stored('secrets')).toEqual(rows);
  return stdout;
}

test.each(known)('%s is recognised, and the lines for the app read it', async (_, key, store, format) => {
  await fill('secrets', await Promise.all(texts.map(async (text) => ({ token: await store(text) }))));
  const isRunOfCbc = format.startsWith('aes-256-cbc iv‖');
  const stdout = await convert(key, ['--old-key', 'OLD'], isRunOfCbc ? proof : []);
  expect(stdout.split('\n')[1]).toContain(`  40  ${format}`);
  const [, printed = ''] = /previous = plaintext\(([^]*?), \{ write: encrypt \}\);\n/.exec(stdout) ?? [];
  const read = runInNewContext(printed, { ...formats, process: { env: variables(key) } }) as formats.Reader;
  expect(read(await store('another'))).toBe('another');
});

const jsonOf = ({ i, b, t }: Parts, ...names: string[]) =>
  Object.fromEntries(names.map((name, at) => [name, [i, b, t][at]?.toString('hex')]));

function toTypebot(text: string): Row {
  const parts = gcm(text, half);
  return { token: write(parts, 'bt', 'base64'), iv: write(parts, 'i') };
}
const toTrigger = (text: string) => ({ token: jsonOf(gcm(text, half), 'nonce', 'ciphertext', 'tag') });
const inOutline = (text: string) => write(cbc(JSON.stringify(text), bytes), 'ib');
const toOutline = (text: string) => ({ token: Buffer.from(inOutline(text), 'hex') });

/** A product, its key, the type of its column, the row that it stores, and what its own function returns, as code. */
type Own = readonly [product: string, key: string, type: string, store: (text: string) => Row, read: string];

const own: readonly Own[] = [
  ['typebot', half, 'text', toTypebot, "open(gcm, key(), iv('hex'), part(0, -16), part(-16))"],
  ['trigger.dev', half, 'jsonb', toTrigger, "open(gcm, key(), ...members('nonce', 'ciphertext', 'tag'))"],
  ['Outline', hex, 'bytea', toOutline, "JSON.parse(open(cbc, key('hex'), byte(0, 16), byte(16)))"],
];

test.each(own)('%s is unknown, and its own function reads it', async (product, key, type, store, read) => {
  await fill('secrets', texts.map(store), `token ${type}, iv text`);
  await sql`alter table secrets alter column token type text`;
  const before = await stored('secrets');
  expect(await adopt([...place, '--old-key', 'OLD', '--plaintext'], root, variables(key))).toMatchObject({
    code: 2,
    stdout: 'token\n       40  unknown: no old key opens it, and it can be a ciphertext\n',
    stderr: expect.stringContaining('with `--reader`'),
  });
  expect(await stored('secrets')).toEqual(before);
  const reader = join(await newDirectory(), 'old.mjs');
  await writeFile(
    reader,
    `import { createDecipheriv } from 'node:crypto';
    const [gcm, cbc, key] = ['aes-256-gcm', 'aes-256-cbc', (encoding) => Buffer.from(process.env.OLD, encoding)];
    function open(cipher, key, iv, body, tag) {
      const opening = createDecipheriv(cipher, key, iv);
      if (tag) opening.setAuthTag(tag);
      return Buffer.concat([opening.update(body), opening.final()]).toString();
    }
    export default (stored, row) => {
      const iv = (encoding) => Buffer.from(row.iv, encoding);
      const part = (from, to) => Buffer.from(stored, 'base64').subarray(from, to);
      const byte = (from, to) => Buffer.from(stored.slice(2), 'hex').subarray(from, to);
      const members = (...names) => names.map((name) => Buffer.from(JSON.parse(stored)[name], 'hex'));
      return ${read};
    };`,
  );
  const lines = await convert(key, ['--reader', reader, '--columns', 'iv']);
  expect(lines).toContain("plaintext(read, { columns: ['iv'] })");
});

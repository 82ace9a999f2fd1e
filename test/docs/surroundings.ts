export function surroundingsOf(document: string): string | undefined {
  if (listed[document] !== undefined || !/^(?:sdk|migrate|\.\.\/docs)\//.test(document)) {
    return listed[document];
  }
  return `import { eaas, keyId } from '@eaas/test-kit/played-service';`;
}

const listed: Readonly<Record<string, string>> = {
  'audit/README.md': `
import { eaas } from '@eaas/test-kit/played-service';
const verifierKey = (await eaas.audit.checkpoint()).verifier_key;
const load = async () => null;
const save = async (_state: object | null): Promise<void> => {};
`,
  '../docs/host-token.md': `
import { eaas, service } from '@eaas/test-kit/played-service';
const toService = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const { origin } = new URL(request.url);
  if (origin === service.baseUrl) return toService(request);
  if (origin !== 'https://api.github.com') console.log('a token was sent to', origin);
  const isRight = request.headers.get('authorization') === 'Bearer ghp_16C7e42F292c6912E7';
  return new Response(null, { status: isRight && request.redirect === 'manual' ? 200 : 401 });
};
`,
  '../docs/slots.md': `
import { eaas } from '@eaas/test-kit/played-service';
import {
  Client, emailOTP, JsonPlusSerializer, MemorySaver,
  type PayloadCodec, sendVerificationOTP, type SerializerProtocol, twoFactor,
} from '../../../test/docs/played-slots.ts';
`,
  'sdk/README.md': `
import { keyId } from '@eaas/test-kit/played-service';
const count = (_type: string): void => {};
`,
  'sdk/docs/audit.md': `
import { writeFileSync } from 'node:fs';
import { eaas } from '@eaas/test-kit/played-service';
import { witness } from '../../../test/docs/played-witnesses.ts';
writeFileSync('audit.json', 'null');
writeFileSync('policy.txt', witness(eaas));
`,
  'sdk/docs/browser.md': `
import { playPage, service } from '@eaas/test-kit/played-service';
const { key_id: patientsKeyId } = await service.createKey('patients');
const log = { warn: (_event: unknown, _text: string): void => {} };
const findSession = async (cookie: string | null) => (cookie === 'session=42' ? { userId: '42' } : undefined);
playPage((request) => proxy(request));
`,
  'sdk/docs/outages.md': `import '@eaas/test-kit/played-service';`,
  'sdk/docs/erase-a-person.md': `
import { eaas } from '@eaas/test-kit/played-service';
const keep = async (_proof: string): Promise<void> => {};
const erasedSinceTheBackup = [{ subject_id: 'a'.repeat(64) }];
const patient = { subject: crypto.randomUUID(), name: '' };
patient.name = await eaas.encrypt('Ada', { subject: patient.subject });
`,
  'sdk/docs/half.md': `
import { defineFields, field } from '@eaas/sdk/fields';
import { eaas as played, service } from '@eaas/test-kit/played-service';
import { openPlayedDatabase } from '../../../test/docs/played-database.ts';
await using database = await openPlayedDatabase();
const { sql } = database;
const db = { query: (statement: string, values: string[]) => sql.unsafe(statement, values) };
const fields = defineFields({ members: { email: field.text().searchable() } });
const before = fields.for(played, { index: process.env.EAAS_INDEX_KEY! });
for (const { id, email } of await sql\`select id, email from members\`) {
  const row = await before.encryptRow('members', id, { email });
  await sql\`update members set \${sql(row)} where id = \${id}\`;
}
process.env.EAAS_HALF = 'eaas_half_VSKJF9dfAeJoWeuyFp5EkW3ZcrIIOfWJ7WBqHh7Q6GE4LQSsN,null';
process.env.EAAS_HALF_ID = '8f5690b4';
`,
  'sdk/docs/customer-key.md': `
import '@eaas/test-kit/played-service';
process.env.EAAS_HALF = 'eaas_half_VSKJF9dfAeJoWeuyFp5EkW3ZcrIIOfWJ7WBqHh7Q6GE4LQSsN';
const toService = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const { hostname } = new URL(request.url);
  if (hostname === 'keys.beta.example') return new Response(new Uint8Array(32).fill(1));
  return hostname === 'keys.acme.example' ? keyService(request) : toService(request);
};
`,
  'sdk/docs/know-who-read.md': `
import { eaas } from '@eaas/test-kit/played-service';
const show = (..._facts: unknown[]): void => {};
`,
  'sdk/docs/sign-in.md': `
import { keyId, service } from '@eaas/test-kit/played-service';
const issuerId = crypto.randomUUID();
const token = ['{"alg":"ES256"}', '{"sub":"7"}', '-'].map((part) => Buffer.from(part).toString('base64url')).join('.');
const userManager = { getUser: async (): Promise<{ access_token: string } | null> => ({ access_token: token }) };
// The played service accepts no tokens.
const { fetch } = globalThis;
globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const headers = { authorization: 'Bearer ' + service.apiKey, 'content-type': 'application/json' };
  const url = request.url.replace('https://eaas.example', service.baseUrl);
  return fetch(url, { method: 'POST', headers, body: await request.text() });
};
`,
  'sdk/docs/from-vault-transit.md': `
import { playTransit } from '../../../test/docs/played-transit.ts';
import { openPlayedDatabase } from '../../../test/docs/played-database.ts';
import { eaas } from '@eaas/test-kit/played-service';
await using played = await openPlayedDatabase();
const { sql } = played;
const [first, second] = await playTransit(['123-45-6789', '987-65-4321']);
await played.fillSsns([first!, null, second!]);
`,
  'sdk/docs/from-aws-encryption-sdk.md': `
import { buildClient, CommitmentPolicy, KmsKeyringNode } from '../../../test/docs/played-peers.ts';
import { openPlayedDatabase } from '../../../test/docs/played-database.ts';
import { eaas } from '@eaas/test-kit/played-service';
process.env.AWS_KMS_KEY_ARN = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd';
const messageOf = async (ssn: string, row: string) => {
  const played = new KmsKeyringNode({ keyIds: [process.env.AWS_KMS_KEY_ARN!] });
  const { encrypt } = buildClient(CommitmentPolicy.REQUIRE_ENCRYPT_ALLOW_DECRYPT);
  return (await encrypt(played, ssn, { encryptionContext: { row } })).result.toString('base64');
};
await using played = await openPlayedDatabase();
const { sql } = played;
await played.fillSsns([await messageOf('123-45-6789', '1'), null, await messageOf('987-65-4321', '3')]);
`,
  'local/docs/product.md': `
import { createCipheriv, randomBytes } from 'node:crypto';
import { openPlayedDatabase } from '../../../test/docs/played-database.ts';
await using played = await openPlayedDatabase();
const { sql } = played;
const db = { query: (statement: string, values: string[]) => sql.unsafe(statement, values) };
const keys = [randomBytes(32), randomBytes(32)].map((key) => key.toString('hex'));
[process.env.ENCRYPTION_KEY, process.env.NEXT_ENCRYPTION_KEY] = keys;
for (const { id, email } of await sql\`select id, email from members\`) {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(keys[0]!, 'hex'), iv);
  const ciphertext = cipher.update(email, 'utf8', 'hex') + cipher.final('hex');
  const stored = [iv.toString('hex'), cipher.getAuthTag().toString('hex'), ciphertext].join(':');
  await sql\`update members set email = \${stored} where id = \${id}\`;
}
`,
  'migrate/README.md': `
import { defineFields, field } from '@eaas/sdk/fields';
import { eaas, keyId } from '@eaas/test-kit/played-service';
import { openPlayedDatabase } from '../../../test/docs/played-database.ts';
await using played = await openPlayedDatabase();
const { sql } = played;
const db = { query: (statement: string, values: string[]) => sql.unsafe(statement, values) };
const fields = defineFields({ members: { email: field.text() } });
for (const { id, email } of await sql\`select id, email from members\`) {
  const ciphertext = await eaas.encrypt(email, { context: { id } });
  await sql\`update members set email = \${ciphertext} where id = \${id}\`;
}
`,
  'migrate/docs/tables.md': `
import { eaas, keyId } from '@eaas/test-kit/played-service';
import { openPlayedDatabase } from '../../../test/docs/played-database.ts';
await using played = await openPlayedDatabase();
const { sql } = played;
await sql.unsafe('update patients set email_new = email, born_new = born::text, notes_new = notes::text');
const report = (..._facts: unknown[]): void => {};
`,
  'migrate/docs/formats.md': `
import { eaas } from '@eaas/test-kit/played-service';
Object.assign(process.env, {
  ENCRYPTION_KEY: 'c5e9f115aa8f7b9988f80cc457b22e3b2dafd96277c388403c061be6811d5365',
  PASSPHRASE: 'correct horse battery staple',
  KEY_OF_32_CHARACTERS: 'a key of exactly 32 characters..',
  MAC_KEY: '20323a27b17053c0ea4fbcae53396fdb1af16bbbe77dd6992d326a446b6dcb1f',
  BETTER_AUTH_SECRET: 'a-secret-of-at-least-32-characters',
  BETTER_AUTH_SECRET_1: 'another-secret-of-32-characters-1',
  CLOAK_KEY: 'k1.aesgcm256.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  OLD_CLOAK_KEY: 'k1.aesgcm256.BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA=',
  FERNET_KEY: 'cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4=',
  APP_KEY: 'base64:jQZ9iP37CgMRmC6boNrtAEMRfp0bwY9bRhlfJquwJuU=',
  TYPEORM_KEY: '8d067d88fdfb0a0311982e9ba0daed0043117e9d1bc18f5b46195f26abb026e5',
});
const row = {
  id: '1',
  token: 'enc:v1:f7b48cc4d7f25194905cd21a:415d89016cf20a77752d2200e19fc21d:60b5596f3e1af9258a0b8a5b',
};
const stored = {
  run: 'qBhLCV/0FVs1leeDU6EXKfP41cU6mmuWdKpPj3i/hA==',
  signed: 'mVvFnfnnJTeWBuheLUjxqA.8xxPQOZS_Tmi-cgUc4R0ng.jOoAQvu9tRBXB_MKOYWFwzaVMeWygE0r7W8OYUiLQmA',
  cbc: 'd20260e6b78429b7197429041def9e9b:fb62f97529de1c62a8fdfef3fb459045',
};
const account = {
  accessToken: '4235e769c5a1cd1e59107fe7233bbd1d71c704cf102830474b96154548c323c386d480400754f4685153b1810e88b1',
  refreshToken: '$ba$1$3486900f43b467251de42c49394428294a63bb198a1ade81dffb990a185dd4b06f1b9f399469c46b03fe604d5a',
};
const user = {
  email: 'v1.aesgcm256.053d78ce.A5gzrXb2_HyPxhAW.GgcgV3btOPKEQObKx3c8JF_J8MJrPu7Ur63mR8swPA==',
  phone: 'gAAAAABrCLub18jGHuFLPHSmxVL1R3e02pyjJiBDgrNF2tamtabNTvLSqgnKk9wFIjTMJ1vfQBvchPZsBPAGgj3fjd5qejF3tB-rAIeqk6wKXtyGRL2H5fk=',
  note: 'eyJpdiI6IkNyTUdnakExWmh1NDI2SWN3bE5TTVE9PSIsInZhbHVlIjoiWlpjQnBMS2dNQzZtWFhRQy9zUDk2UT09IiwibWFjIjoiZTYwZTdlOTg1Y2E2OTAxOGUyZmZkM2MzMjU1YTU5MGE0NmIwNDFkYTE0ZTE3Mjk1ODZiZmIyOTQ3ZWQ0ODgxZiIsInRhZyI6IiJ9',
  iban: 'k9p8IB2bPd9C9XVr7dbNWZLl+xFNaQ/QUANtjFMfD2CciuSwHCgg9b57sKze6uTFMrD0dE0d',
};
`,
  'sdk/docs/testing.md': '',
};

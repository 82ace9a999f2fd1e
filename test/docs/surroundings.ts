export function surroundingsOf(document: string): string | undefined {
  if (!document.startsWith('sdk/')) return undefined;
  return listed[document] ?? `import { eaas, keyId } from '@eaas/test-kit/played-service';`;
}

const listed: Readonly<Record<string, string>> = {
  'sdk/README.md': `
import { eaas as before, keyId, playPage } from '@eaas/test-kit/played-service';
import { tableOf } from '../../../test/docs/played-table.ts';
const findSession = async (cookie: string | null) => (cookie === 'session=42' ? { userId: '42' } : undefined);
const count = (_type: string): void => {};
const stored = await Promise.all(['ada@example.com', 'grace@example.com'].map((email) => before.encrypt(email)));
const table = tableOf(stored.map(({ ciphertext }) => ({ email: ciphertext })));
playPage((request) => POST(request));
`,
  'sdk/docs/audit.md': `
import { writeFileSync } from 'node:fs';
import { eaas } from '@eaas/test-kit/played-service';
import { witness } from '../../../test/docs/played-witnesses.ts';
writeFileSync('audit.json', 'null');
writeFileSync('policy.txt', witness(eaas));
// Ends the loop of the page once it listens.
setInterval(() => process.emit('SIGTERM', 'SIGTERM'), 100).unref();
`,
  'sdk/docs/browser.md': `
import { playPage, service } from '@eaas/test-kit/played-service';
import type { IncomingMessage } from 'node:http';
declare namespace express {
  type Request = IncomingMessage & { session?: { userId?: string } };
}
const { key_id: patientsKeyId } = service.createKey('patients');
const log = { warn: (_event: unknown, _text: string): void => {} };
const findSession = async (cookie: string | null) => (cookie === 'session=42' ? { userId: '42' } : undefined);
playPage((request) => proxy(request));
`,
  'sdk/docs/encrypt-a-table.md': `
import { eaas } from '@eaas/test-kit/played-service';
import { openPlayedDatabase } from '../../../test/docs/played-database.ts';
await using played = await openPlayedDatabase();
const { sql } = played;
const keep = async (_progress: string): Promise<void> => {};
`,
  'sdk/docs/outages.md': `import '@eaas/test-kit/played-service';`,
  'sdk/docs/proof.md': `
import { writeFileSync } from 'node:fs';
import { eaas } from '@eaas/test-kit/played-service';
import { witness } from '../../../test/docs/played-witnesses.ts';
writeFileSync('policy.txt', witness(eaas));
const store = { load: async () => null, save: async (_state: object): Promise<void> => {} };
`,
  'sdk/docs/reencrypt.md': `
import { eaas, keyId } from '@eaas/test-kit/played-service';
import { openPlayedDatabase } from '../../../test/docs/played-database.ts';
import { tableOf } from '../../../test/docs/played-table.ts';
await using played = await openPlayedDatabase();
const { sql } = played;
const stored = await Promise.all(['ada', 'grace', 'joan'].map((name) => eaas.encrypt(name)));
const table = tableOf(stored.map(({ ciphertext }) => ({ email: ciphertext })));
const notes = await Promise.all(['1', '2'].map((subject) => eaas.encrypt('rash', { subject })));
const patients = tableOf(notes.map(({ ciphertext }) => ({ note: ciphertext })));
await eaas.subjects.erase({ subject: '2' });
const keep = async (_progress: string): Promise<void> => {};
const report = (..._facts: unknown[]): void => {};
`,
  'sdk/docs/people.md': `
import { eaas } from '@eaas/test-kit/played-service';
import { tableOf } from '../../../test/docs/played-table.ts';
const stored = await Promise.all(['a', 'b'].map((value) => eaas.encrypt(value)));
const table = tableOf(stored.map(({ ciphertext }) => ({ email: ciphertext })));
const keep = async (_progress: string): Promise<void> => {};
`,
  'sdk/docs/erase-a-person.md': `
import { eaas } from '@eaas/test-kit/played-service';
const keep = async (_proof: string): Promise<void> => {};
const erasedSinceTheBackup = [{ subject_id: 'a'.repeat(64) }];
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
  'sdk/docs/leakage.md': `
import { eaas } from '@eaas/test-kit/played-service';
import { fillPeople, openPlayedDatabase } from '../../../test/docs/played-database.ts';
await using played = await openPlayedDatabase();
const { sql } = played;
await fillPeople(sql, eaas, process.env.EAAS_INDEX_KEY!);
`,
  'sdk/docs/from-a-static-key.md': `
import { decryptStringSync, encryptStringSync } from '../../../test/docs/played-peers.ts';
import { eaas } from '@eaas/test-kit/played-service';
import { tableOf } from '../../../test/docs/played-table.ts';
process.env.CLOAK_MASTER_KEY = 'k1.aesgcm256.' + 'A'.repeat(43);
const cloaked = (email: string) => encryptStringSync(email, process.env.CLOAK_MASTER_KEY!);
const emails = ['ada@example.com', 'grace@example.com', 'joan@example.com'].map(cloaked);
const users = tableOf(emails.map((email) => ({ email: email as string | null, email_index: null as string | null })));
const report = (..._facts: unknown[]): void => {};
`,
  'sdk/docs/from-vault-transit.md': `
import { playTransit } from '../../../test/docs/played-transit.ts';
import { eaas } from '@eaas/test-kit/played-service';
import { tableOf } from '../../../test/docs/played-table.ts';
const [first, second] = await playTransit(['123-45-6789', '987-65-4321']);
const ssns = [first!, null, second!];
const patients = tableOf(ssns.map((ssn) => ({ ssn: ssn as string | null, ssn_index: null as string | null })));
`,
  'sdk/docs/from-aws-encryption-sdk.md': `
import { buildClient, CommitmentPolicy, KmsKeyringNode } from '../../../test/docs/played-peers.ts';
import { eaas } from '@eaas/test-kit/played-service';
import { tableOf } from '../../../test/docs/played-table.ts';
process.env.AWS_KMS_KEY_ARN = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd';
const messageOf = async (ssn: string, row: string) => {
  const played = new KmsKeyringNode({ keyIds: [process.env.AWS_KMS_KEY_ARN!] });
  const { encrypt } = buildClient(CommitmentPolicy.REQUIRE_ENCRYPT_ALLOW_DECRYPT);
  return (await encrypt(played, ssn, { encryptionContext: { row } })).result.toString('base64');
};
const ssns = [await messageOf('123-45-6789', '1'), null, await messageOf('987-65-4321', '3')];
const patients = tableOf(ssns.map((ssn) => ({ ssn: ssn as string | null, ssn_index: null as string | null })));
`,
  'sdk/docs/from-server-mode.md': `
import { eaas, keyId, service } from '@eaas/test-kit/played-service';
const report = (..._facts: unknown[]): void => {};
`,
  'sdk/docs/testing.md': '',
  'sdk/docs/streams.md': `
import { writeFileSync } from 'node:fs';
import { eaas, keyId } from '@eaas/test-kit/played-service';
writeFileSync('film.mp4', 'a film');
`,
};

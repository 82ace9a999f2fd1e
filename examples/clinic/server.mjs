// The server of a clinic. It encrypts new patients, keeps ciphertexts, and cannot decrypt: its API key may only encrypt.
// Requires a running server and its `.env` (`npm start`), and DATABASE_URL.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { EaasClient } from '@eaas/sdk';
import { isEncrypted } from '@eaas/sdk/fields';
import { eq } from 'drizzle-orm';
import { pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import { build } from 'esbuild';
import { createLocalJWKSet, jwtVerify } from 'jose';
import postgres from 'postgres';
import { acceptSignIn } from './set-up.mjs';
import { audiences, people } from './people.mjs';
import { definition } from './table.mjs';

const unset = ['EAAS_BASE_URL', 'EAAS_API_KEY', 'EAAS_KEY_ID', 'DATABASE_URL'].filter(
  (name) => !process.env[name],
);
if (unset.length > 0) {
  console.error(`${unset.join(', ')} must be set (got no value): use the command in README.md`);
  process.exit(2);
}

const { startSignIn } = await import('./sign-in.mjs').catch(({ message }) => {
  console.error(`the sign-in cannot start (${message}): run \`npm ci --prefix examples/clinic\``);
  process.exit(2);
});

const {
  EAAS_BASE_URL,
  EAAS_API_KEY,
  EAAS_KEY_ID,
  DATABASE_URL,
  PORT = '3000',
  SIGN_IN_PORT = '3001',
} = process.env;
const app = `http://localhost:${PORT}`;
const issuer = `http://localhost:${SIGN_IN_PORT}`;

const jwks = await startSignIn(issuer, app).catch(({ code }) =>
  refusePort('SIGN_IN_PORT', `${SIGN_IN_PORT}: ${code}`),
);
const issuers = await acceptSignIn({
  baseUrl: EAAS_BASE_URL,
  apiKey: EAAS_API_KEY,
  keyId: EAAS_KEY_ID,
  issuer,
  jwks,
  app,
});

// The clinic's server may encrypt, and nothing else.
const admin = new EaasClient();
const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
const { api_key } = await admin.apiKeys.create({
  name: 'clinic: server',
  permissions: ['encrypt'],
  key_ids: [EAAS_KEY_ID],
  expires_at: inAnHour,
});
const sql = postgres(DATABASE_URL, { onnotice: () => {} });
await sql`
  create table if not exists clinic_patients (
    id uuid primary key,
    name text not null check (name like 'eaasA%'),
    allergies text not null check (allergies like 'eaasA%')
  )`;
const db = drizzle(sql);
const patients = pgTable('clinic_patients', {
  id: uuid().primaryKey(),
  name: text().notNull(),
  allergies: text().notNull(),
});
const records = definition.for(new EaasClient({ apiKey: api_key }));

const registered = new Set((await db.select({ id: patients.id }).from(patients)).map(({ id }) => id));
for (const { name, patient: id } of Object.values(people)) {
  if (id && !registered.has(id)) {
    const row = { id, name, allergies: 'none known' };
    await db.insert(patients).values(await records.encryptRow('clinic_patients', id, row));
  }
}

const options = { entryPoints: [new URL('page.js', import.meta.url).pathname], bundle: true, format: 'esm' };
const { outputFiles } = await build({ ...options, write: false });
const settings = { baseUrl: EAAS_BASE_URL, keyId: EAAS_KEY_ID, signIn: issuer, issuers, audiences };
const pages = {
  '/': ['text/html', await readFile(new URL('page.html', import.meta.url))],
  '/page.js': ['text/javascript', outputFiles[0].contents],
  '/settings': ['application/json', JSON.stringify(settings)],
};

/** The signed-in person, or undefined. Decides who may fetch which ciphertexts; who may open them, the service decides. */
async function signedIn({ headers }) {
  const token = /^Bearer (.+)$/.exec(headers.authorization)?.[1] ?? '';
  const rules = { issuer, audience: Object.values(audiences), requiredClaims: ['exp'] };
  const { payload } = await jwtVerify(token, publicKeys, rules).catch(() => ({}));
  return payload && { patient: payload.patient, isStaff: payload.role === 'doctor' };
}
const publicKeys = createLocalJWKSet(jwks);

/** Returns the status and the body of the answer. */
async function respond(request) {
  const user = await signedIn(request);
  if (!user) return [401, { error: 'Sign in first.' }];
  const [, id = ''] = /^\/patients(?:\/([\da-f-]{36}))?$/.exec(request.url) ?? [];
  if (request.method === 'GET' && id === '') {
    const rows = db.select().from(patients);
    return [200, await (user.isStaff ? rows : rows.where(eq(patients.id, user.patient)))];
  }
  if (request.method !== 'PUT' || !(Number(request.headers['content-length']) <= 32_768)) {
    return [400, { error: 'Send at most 32 KiB.' }];
  }
  if (!user.isStaff && id !== user.patient) return [403, { error: 'This is another patient.' }];
  const { allergies } = await json(request);
  if (!isEncrypted(allergies)) return [400, { error: 'The page must encrypt.' }];
  await db.update(patients).set({ allergies }).where(eq(patients.id, id));
  return [200, {}];
}

async function answer(request, response) {
  const [type, content] = pages[request.url.split('?')[0]] ?? [];
  const failed = (error) => (console.error(error), [500, { error: 'Try again.' }]);
  const [status, body] = type ? [200] : await respond(request).catch(failed);
  response
    .writeHead(status, { 'content-type': type ?? 'application/json' })
    .end(content ?? JSON.stringify(body));
}

const server = createServer((request, response) => void answer(request, response));
server.on('error', ({ code }) => refusePort('PORT', `${PORT}: ${code}`));
server.listen(Number(PORT), () => console.log(`The clinic is at ${app}`));

function refusePort(name, got) {
  console.error(`${name} must be a free port (got ${got}): set ${name} to another port`);
  process.exit(2);
}
